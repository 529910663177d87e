import type { TimeSpan } from "./time-buckets.ts";

const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const exactClock = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });

/**
 * From when to when, where the reader is, as short as it can be said.
 *
 * @example formatTimeSpan(bucket) // "15 Nov, 10:00 – 10:15"
 */
export function formatTimeSpan({ from, to }: TimeSpan): string {
  if (isMidnight(from) && isMidnight(to)) {
    const last = to - 1;
    const [first, end] = [day.format(from), day.format(last)];
    return first === end ? first : `${first} – ${end}`;
  }
  const format = from % 60_000 === 0 && to % 60_000 === 0 ? clock : exactClock;
  const start = `${day.format(from)}, ${format.format(from)}`;
  const isSameDay = day.format(from) === day.format(to);
  return `${start} – ${isSameDay ? "" : `${day.format(to)}, `}${format.format(to)}`;
}

function isMidnight(time: number): boolean {
  const date = new Date(time);
  return date.getHours() + date.getMinutes() + date.getSeconds() + date.getMilliseconds() === 0;
}
