const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"] as const;

/** When something happened, in the same unit as the axis. */
export interface Interval {
  readonly start: number;
  readonly end: number;
}

/**
 * A bar of so many columns in which the part of the axis that the interval covers is filled. It is
 * never empty: what takes no time still happened somewhere.
 *
 * @example durationBar({ start: 25, end: 75 }, { start: 0, end: 100 }, 8) // "  ████  "
 */
export function durationBar(interval: Interval, axis: Interval, columns: number): string {
  const length = axis.end - axis.start;
  const at = (time: number) =>
    length > 0 ? Math.min(1, Math.max(0, (time - axis.start) / length)) * columns : 0;
  // Whole columns before it: a block can begin at the left edge of a column only.
  const from = Math.min(Math.floor(at(interval.start)), columns - 1);
  const eighths = Math.max(1, Math.round((at(interval.end) - from) * 8));
  const filled = "█".repeat(Math.floor(eighths / 8)) + EIGHTHS[(eighths % 8) as 0];
  return (" ".repeat(Math.max(0, from)) + filled).padEnd(columns).slice(0, columns);
}
