const STEPS = [
  [60, 1, "s"],
  [3600, 60, "m"],
  [86_400, 3600, "h"],
  [7 * 86_400, 86_400, "d"],
] as const;

const sameYear = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
});
const otherYear = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  year: "numeric",
});
const exact = new Intl.DateTimeFormat("en-GB", {
  dateStyle: "medium",
  timeStyle: "medium",
});

/**
 * How long ago (or, of a clock that is wrong, in how long), and when, if that is more than a week.
 *
 * @example formatAgo("2026-11-15T10:00:00Z", Date.parse("2026-11-15T10:05:00Z")) // "5m ago"
 */
export function formatAgo(time: string, now: number): string {
  const then = Date.parse(time);
  const seconds = Math.round((now - then) / 1000);
  // Clocks of other machines run ahead, but not by minutes.
  if (seconds < 1 && seconds > -60) return "now";
  for (const [below, unit, name] of STEPS) {
    if (Math.abs(seconds) >= below) continue;
    const count = `${Math.floor(Math.abs(seconds) / unit)}${name}`;
    return seconds < 0 ? `in ${count}` : `${count} ago`;
  }
  const isThisYear = new Date(then).getFullYear() === new Date(now).getFullYear();
  return (isThisYear ? sameYear : otherYear).format(then);
}

/** The day and time to the second, where the reader is. */
export function formatTime(time: string): string {
  return exact.format(Date.parse(time));
}
