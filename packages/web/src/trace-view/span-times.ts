import type { SpanRecord } from "@agate/protocol";

/** The start and end of a span in milliseconds since 1970. */
export interface SpanTimes {
  readonly start: number;
  /** Equals the start of a span that has not ended, or whose end is before its start. */
  readonly end: number;
}

export function spanTimes({ metadata }: SpanRecord): SpanTimes {
  const start = milliseconds(metadata.start_time);
  return { start, end: start + Math.max(0, metadata.latency ?? 0) };
}

/**
 * Milliseconds since 1970 with the fraction that `Date.parse` drops, to about a quarter of a
 * microsecond.
 *
 * @example milliseconds("1970-01-01T00:00:00.001500000Z") // 1.5
 */
export function milliseconds(time: string): number {
  const dot = time.indexOf(".");
  const whole = Date.parse(time);
  if (dot < 0) return whole;
  const fraction = /^\d+/.exec(time.slice(dot + 1))?.[0] ?? "";
  return whole + Number(`0.${fraction.slice(3) || "0"}`);
}

/** A time interval in milliseconds since 1970. */
export interface Interval {
  readonly start: number;
  readonly end: number;
}

/** The own time of a span: its interval minus those of its children, which may overlap. */
export function ownIntervals(span: Interval, children: readonly Interval[]): readonly Interval[] {
  const own: Interval[] = [];
  let from = span.start;
  for (const child of [...children].sort((a, b) => a.start - b.start)) {
    const to = Math.min(child.start, span.end);
    if (to > from) own.push({ start: from, end: to });
    from = Math.max(from, child.end);
  }
  if (span.end > from) own.push({ start: from, end: span.end });
  return own;
}

/** Milliseconds. */
export function totalOf(intervals: readonly Interval[]): number {
  return intervals.reduce((sum, { start, end }) => sum + end - start, 0);
}

/** The position of an interval on the axis, as fractions of its length, clipped; null if outside. */
export function placeOn(
  axis: Interval,
  { start, end }: Interval,
): { readonly left: number; readonly width: number } | null {
  if (end < axis.start || start > axis.end) return null;
  const length = axis.end - axis.start;
  if (!(length > 0)) return { left: 0, width: 1 };
  const left = Math.max(0, (start - axis.start) / length);
  return { left, width: Math.min(1, (end - axis.start) / length) - left };
}
