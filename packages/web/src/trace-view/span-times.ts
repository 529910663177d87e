import type { SpanRecord } from "@agate/protocol";

/** When a span began and ended, in milliseconds since 1970. */
export interface SpanTimes {
  readonly start: number;
  /** Its start, while it has not ended or if it says that it ended before. */
  readonly end: number;
}

export function spanTimes({ metadata }: SpanRecord): SpanTimes {
  const start = milliseconds(metadata.start_time);
  return { start, end: start + Math.max(0, metadata.latency ?? 0) };
}

/**
 * Milliseconds since 1970 with the fraction that `Date.parse` throws away, to about a quarter of a
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
