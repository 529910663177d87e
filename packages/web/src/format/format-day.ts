/** As British English shortens them. */
const MONTHS = [
  "Jan",
  "Feb",
  "Mar",
  "Apr",
  "May",
  "Jun",
  "Jul",
  "Aug",
  "Sept",
  "Oct",
  "Nov",
  "Dec",
] as const;

/**
 * The day of a time in the reader's time zone, with the hour if it is of this year. Without the browser's date
 * formats: making the first one takes tens of milliseconds on a slow processor, before the first rows of a page.
 *
 * @example formatDay(Date.parse("2026-11-03T10:05:00Z"), Date.parse("2026-11-15T10:00:00Z")) // "3 Nov, 10:05"
 */
export function formatDay(time: number, now: number): string {
  const then = new Date(time);
  const year = then.getFullYear();
  const day = `${then.getDate()} ${MONTHS[then.getMonth()]}`;
  if (year !== new Date(now).getFullYear()) return `${day} ${year}`;
  return `${day}, ${twoDigits(then.getHours())}:${twoDigits(then.getMinutes())}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}
