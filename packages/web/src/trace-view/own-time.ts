/** A stretch of time, in milliseconds since 1970. */
export interface Interval {
  readonly start: number;
  readonly end: number;
}

/** When a span was at work itself: its time without that of its children, overlapping or not. */
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
