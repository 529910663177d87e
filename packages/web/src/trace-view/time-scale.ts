import type { Interval } from "./own-time.ts";

/** A nanosecond: what takes less took no time. */
const SHORTEST = 1e-6;

/** A mark on the time axis. */
export interface Tick {
  /** Milliseconds since the trace began. */
  readonly at: number;
  /** Its place on the axis, 0 to 1. */
  readonly place: number;
}

/** About so many marks at round times: 1, 2 or 5 of some power of ten milliseconds. */
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
