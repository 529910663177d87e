import type { TimeSpan } from "./time-buckets.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Round lengths of time below a day. */
const TIME_STEPS: readonly number[] = [
  ...[1, 5, 15, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE),
  ...[1, 2, 3, 6, 12].map((count) => count * HOUR),
];
const DAY_STEPS = [1, 2, 7, 14, 30, 60, 90, 180, 365].map((count) => count * DAY);

/** The smallest of 1, 2, 5, 10, 20 … (or 0.1, 0.2, 0.5 …) that is at least this. */
function decimalStep(atLeast: number): number {
  const power = 10 ** Math.floor(Math.log10(atLeast));
  // Slightly less will do, so that a rounding error does not cost a whole step.
  return ([1, 2, 5].find((factor) => factor * power >= atLeast * (1 - 1e-9)) ?? 10) * power;
}

/** Ticks of a value axis that starts at 0, or at or below the lowest value; the last is at or above the highest. */
export type ValueTicks = readonly number[];

const MOST_STEPS = 5;

export interface ValueTicksOptions {
  /** Steps are round in this unit: 60,000 for minutes in milliseconds. */
  readonly unit?: number;
  /** The smallest step: 1 for counts. */
  readonly leastStep?: number;
}

/** @example valueTicks(37) // [0, 10, 20, 30, 40] */
export function valueTicks(
  highest: number,
  { unit = 1, leastStep = 0 }: ValueTicksOptions = {},
): ValueTicks {
  if (!(highest > 0)) return [0, Math.max(unit, leastStep)];
  const step = Math.max(leastStep, unit * decimalStep(highest / unit / MOST_STEPS));
  const count = Math.max(1, Math.ceil((highest / step) * (1 - 1e-9)));
  return Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(12)));
}

/**
 * Ticks for values that may be below 0, which the axis always has.
 *
 * @example signedTicks(-0.4, 0.9) // [-0.5, 0, 0.5, 1]
 */
export function signedTicks(lowest: number, highest: number): ValueTicks {
  if (!(lowest < 0)) return valueTicks(highest);
  const top = Math.max(0, highest);
  const step = decimalStep((top - lowest) / MOST_STEPS);
  const first = Math.floor((lowest / step) * (1 - 1e-9));
  const last = Math.ceil((top / step) * (1 - 1e-9));
  return Array.from({ length: last - first + 1 }, (_, index) =>
    Number(((first + index) * step).toPrecision(12)),
  );
}

/** A nanosecond: anything shorter counts as no time at all. */
const SHORTEST = 1e-6;

export interface ElapsedTick {
  /** Milliseconds since the origin. */
  readonly at: number;
  /** Its place on the axis, 0 to 1. */
  readonly place: number;
}

/**
 * Ticks at round times since an origin, approximately `about` of them.
 *
 * @example elapsedTicks({ from: 1000, to: 1090 }, 1000, 4) // at 0 and 50 ms
 */
export function elapsedTicks(
  { from, to }: TimeSpan,
  origin: number,
  about: number,
): readonly ElapsedTick[] {
  const length = to - from;
  const offset = from - origin;
  if (!(length > SHORTEST)) return [{ at: offset, place: 0 }];
  const step = elapsedStep(length / about);
  const ticks: ElapsedTick[] = [];
  for (let count = Math.ceil(offset / step); ; count += 1) {
    const at = count * step;
    const place = (at - offset) / length;
    if (place > 1) return ticks;
    ticks.push({ at, place });
  }
}

/** Up to ten seconds a decimal step, then one that is round on a clock. */
function elapsedStep(atLeast: number): number {
  if (atLeast <= 10 * SECOND) return decimalStep(atLeast);
  if (atLeast > DAY) return DAY * decimalStep(atLeast / DAY);
  return TIME_STEPS.find((step) => step >= atLeast) ?? DAY;
}

export interface ClockTick {
  readonly time: number;
  readonly label: string;
}

const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const exactClock = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });

/** At most `most` ticks at round local times; midnight is labelled with its date. */
export function clockTicks(span: TimeSpan, most: number): readonly ClockTick[] {
  const length = span.to - span.from;
  const step =
    [...TIME_STEPS, ...DAY_STEPS].find((each) => length / each <= most) ??
    Math.ceil(length / most / DAY) * DAY;
  return step < DAY ? ticksWithinDays(span, step) : ticksByDay(span, step / DAY);
}

function ticksWithinDays(span: TimeSpan, step: number): readonly ClockTick[] {
  const ticks: ClockTick[] = [];
  for (let midnight = startOfDay(span.from, 0); midnight < span.to; ) {
    const next = startOfDay(midnight, 1);
    const date = new Date(midnight);
    for (let since = 0; since < DAY; since += step) {
      // From the local date, so that 06:00 stays 06:00 when daylight saving time starts or ends.
      const time = new Date(
        date.getFullYear(),
        date.getMonth(),
        date.getDate(),
        0,
        0,
        0,
        since,
      ).getTime();
      if (time < span.from || time >= span.to || time >= next) continue;
      const last = ticks.at(-1);
      if (last !== undefined && time <= last.time) continue;
      const format = since === 0 ? day : step < MINUTE ? exactClock : clock;
      ticks.push({ time, label: format.format(time) });
    }
    midnight = next;
  }
  return ticks;
}

function ticksByDay(span: TimeSpan, days: number): readonly ClockTick[] {
  const first = startOfDay(span.from, 0);
  const ticks: ClockTick[] = [];
  for (let count = 0; ; count += days) {
    const time = startOfDay(first, count);
    if (time >= span.to) return ticks;
    if (time >= span.from) ticks.push({ time, label: day.format(time) });
  }
}

function startOfDay(time: number, daysLater: number): number {
  const date = new Date(time);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + daysLater).getTime();
}
