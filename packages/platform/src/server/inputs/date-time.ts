import type { Parsed } from "./input-kinds.ts";

// From 1970 to 2254: a number holds microseconds exactly up to the year 2255.
const YEAR = "(?:19[7-9]\\d|2[01]\\d\\d|22[0-4]\\d|225[0-4])";
const DATE = `${YEAR}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])`;
const HOUR = "(?:[01]\\d|2[0-3])";
const MINUTE = "[0-5]\\d";
// An unescaped `+` arrives as a space.
const ZONE = `[Zz]|[+ -]${HOUR}:?${MINUTE}`;

/** What {@link parseDateTime} takes, but for days that a month does not have. */
export const DATE_TIME_PATTERN = {
  pattern: `^(${DATE})(?:[Tt](${HOUR}:${MINUTE})(?::(${MINUTE})(?:\\.(\\d{1,9}))?)?(${ZONE}))?$`,
};
const DATE_TIME = new RegExp(DATE_TIME_PATTERN.pattern);

/**
 * Microseconds since 1970 of an ISO 8601 date (midnight UTC) or of a date and time with `Z` or an
 * offset, from 1970 to 2254; undefined for anything else. Digits below the microsecond are dropped.
 *
 * @example parseDateTime("2026-11-15T10:00:00.000001+01:00")
 */
export function parseDateTime(text: string): number | undefined {
  const match = DATE_TIME.exec(text);
  if (match === null) return undefined;
  const [, date, minute = "00:00", second = "00", fraction = "", zone = "Z"] = match;
  const whole = Date.parse(`${date}T${minute}:${second}Z`);
  // Date.parse takes 30 February for 2 March.
  if (new Date(whole).toISOString().slice(0, 10) !== date) return undefined;
  const time =
    (whole - offsetMinutes(zone) * 60_000) * 1000 + Number(fraction.padEnd(6, "0").slice(0, 6));
  return Math.max(time, 0);
}

function offsetMinutes(zone: string): number {
  if (zone === "Z" || zone === "z") return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(-2));
  return (zone.startsWith("-") ? -1 : 1) * (hours * 60 + minutes);
}

/** {@link parseDateTime} for a query parameter. */
export function readDateTime(text: string): Parsed<number> {
  const time = parseDateTime(text);
  return time !== undefined
    ? { kind: "value", value: time }
    : {
        kind: "problem",
        type: "date_time_invalid",
        msg: "Must be an ISO 8601 date and time with Z or an offset, such as 2026-11-15T10:00:00Z, or a date, from 1970 to 2254.",
      };
}

/** A time as answers show it: RFC 3339, UTC, with microseconds where there are any. */
export function formatDateTime(microseconds: number): string {
  const below = ((microseconds % 1000) + 1000) % 1000;
  const iso = new Date((microseconds - below) / 1000).toISOString();
  return below === 0 ? iso : `${iso.slice(0, -1)}${String(below).padStart(3, "0")}Z`;
}
