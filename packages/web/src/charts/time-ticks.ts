import type { TimeSpan } from "./time-buckets.ts";

export interface TimeTick {
  readonly time: number;
  readonly label: string;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const STEPS = [
  ...[1, 5, 15, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE),
  ...[1, 2, 3, 6, 12].map((count) => count * HOUR),
  ...[1, 2, 7, 14, 30, 60, 90, 180, 365].map((count) => count * DAY),
];

const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const exactClock = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });

/** At most so many round times, where the reader is; the first of a day says which. */
export function timeTicks(span: TimeSpan, most: number): readonly TimeTick[] {
  const length = span.to - span.from;
  const step = STEPS.find((each) => length / each <= most) ?? Math.ceil(length / most / DAY) * DAY;
  return step < DAY ? ticksOfDays(span, step) : ticksByDay(span, step / DAY);
}

function ticksOfDays(span: TimeSpan, step: number): readonly TimeTick[] {
  const ticks: TimeTick[] = [];
  for (let midnight = startOfDay(span.from, 0); midnight < span.to; ) {
    const next = startOfDay(midnight, 1);
    const date = new Date(midnight);
    for (let since = 0; since < DAY; since += step) {
      // By the clock on the wall, so that six o'clock stays six o'clock when the clocks change.
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

function ticksByDay(span: TimeSpan, days: number): readonly TimeTick[] {
  const first = startOfDay(span.from, 0);
  const ticks: TimeTick[] = [];
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
