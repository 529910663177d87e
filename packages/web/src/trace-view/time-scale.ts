import type { Interval } from "./own-time.ts";

/** A nanosecond: what takes less took no time. */
const SHORTEST = 1e-6;

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Longer than ten seconds, time is not counted in tens. */
const LONG_STEPS: readonly number[] = [
  ...[20, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 20, 30].map((count) => count * MINUTE),
  ...[1, 2, 3, 6, 12].map((count) => count * HOUR),
];

/** A mark on the time axis. */
export interface Tick {
  /** Milliseconds since the trace began. */
  readonly at: number;
  /** Its place on the axis, 0 to 1. */
  readonly place: number;
}

/** About so many marks at round times: of some power of ten milliseconds, or of minutes, hours, days. */
export function axisTicks(
  { start, end }: Interval,
  origin: number,
  about: number,
): readonly Tick[] {
  const length = end - start;
  const offset = start - origin;
  if (!(length > SHORTEST)) return [{ at: offset, place: 0 }];
  const step = roundStep(length / about);
  const ticks: Tick[] = [];
  const first = Math.ceil(offset / step);
  for (let count = first; ; count += 1) {
    const at = count * step;
    const place = (at - offset) / length;
    if (place > 1) return ticks;
    ticks.push({ at, place });
  }
}

function roundStep(atLeast: number): number {
  if (atLeast > DAY) return DAY * decimalStep(atLeast / DAY);
  return atLeast > 10 * SECOND
    ? (LONG_STEPS.find((step) => step >= atLeast) ?? DAY)
    : decimalStep(atLeast);
}

function decimalStep(atLeast: number): number {
  const power = 10 ** Math.floor(Math.log10(atLeast));
  return ([1, 2, 5].find((factor) => factor * power >= atLeast) ?? 10) * power;
}

/** Where something lies on the axis, in parts of its length, cut off at its ends; null if outside. */
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
