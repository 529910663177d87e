import { formatAgo } from "@agate/protocol/format";
import { formatDay } from "./format-day.ts";

/** Beyond this the day says more than the age. */
const AGES_UP_TO_MS = 7 * 86_400_000;

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
  return hasAge(time, now) ? formatAgo(time, now) : formatDay(Date.parse(time), now);
}

/** Whether a time is shown by its age, which is the same in every time zone, and not by its day. */
export function hasAge(time: string, now: number): boolean {
  return Math.abs(now - Date.parse(time)) < AGES_UP_TO_MS;
}

/** The day and time to the second, in the reader's time zone. */
export function formatTime(time: string): string {
  return exact(Date.parse(time));
}
