import { formatAgo } from "@agate/protocol/format";

/** Beyond this the day says more than the age. */
const AGES_UP_TO_MS = 7 * 86_400_000;

const sameYear = dateFormat({
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
});
const otherYear = dateFormat({ day: "numeric", month: "short", year: "numeric" });
const exact = dateFormat({ dateStyle: "medium", timeStyle: "medium" });

/** Made when the first time is written: the first format of a page takes a browser many milliseconds. */
function dateFormat(options: Intl.DateTimeFormatOptions): (time: number) => string {
  let format: Intl.DateTimeFormat | undefined;
  return (time) => {
    format ??= new Intl.DateTimeFormat("en-GB", options);
    return format.format(time);
  };
}

/**
 * How long ago, or, from a week on, which day.
 *
 * @example formatWhen("2026-11-15T10:00:00Z", Date.parse("2026-11-15T10:05:00Z")) // "5 min ago"
 */
export function formatWhen(time: string, now: number): string {
  const then = Date.parse(time);
  if (Math.abs(now - then) < AGES_UP_TO_MS) return formatAgo(time, now);
  const isThisYear = new Date(then).getFullYear() === new Date(now).getFullYear();
  return isThisYear ? sameYear(then) : otherYear(then);
}

/** The day and time to the second, in the reader's time zone. */
export function formatTime(time: string): string {
  return exact(Date.parse(time));
}
