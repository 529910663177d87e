/** A time range in the address. */
export interface TimeRangeSearch {
  /** A range that ends now: `15m`, `1h`, `24h`, `7d`, `30d`; or `all`. */
  readonly range?: string;
  /** Or a fixed range, ISO 8601; either end may be open. */
  readonly from?: string;
  readonly to?: string;
}

/** `span` is a number of `s`, `m`, `h` or `d`, or `all` of the time. */
export type TimeRange =
  | { readonly kind: "last"; readonly span: string }
  | { readonly kind: "fixed"; readonly from?: string; readonly to?: string };

/** The parameters of a request; a missing end is open. */
export interface TimeBounds {
  readonly from?: string;
  readonly to?: string;
}

const UNIT_MS: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

const UNIT_NAMES: Readonly<Record<string, string>> = {
  s: "second",
  m: "minute",
  h: "hour",
  d: "day",
};

const SPAN = /^([1-9]\d{0,4})([smhd])$/;

/**
 * The range in an address; the fallback for an invalid span. Fixed ends are not checked here: the
 * platform validates them.
 *
 * @example parseTimeRange({ range: "7d" }) // { kind: "last", span: "7d" }
 */
export function parseTimeRange(search: TimeRangeSearch, fallback = "24h"): TimeRange {
  const { range, from, to } = search;
  if (from || to) return { kind: "fixed", ...(from && { from }), ...(to && { to }) };
  const isKnown = range !== undefined && (range === "all" || SPAN.test(range));
  return { kind: "last", span: isKnown ? range : fallback };
}

/** A range as parameters of the address. */
export function timeRangeSearch(range: TimeRange): TimeRangeSearch {
  if (range.kind === "last") return { range: range.span };
  const { from, to } = range;
  return { ...(from && { from }), ...(to && { to }) };
}

/** Replaces the range of an address. */
export function withTimeRange<Search extends TimeRangeSearch>(
  search: Search,
  range: TimeRange,
): Omit<Search, keyof TimeRangeSearch> & TimeRangeSearch {
  const { range: _range, from: _from, to: _to, ...rest } = search;
  return { ...rest, ...timeRangeSearch(range) };
}

/**
 * The start and end of a range. One that ends now has no `to`, so that new traces belong to it.
 *
 * @param now Milliseconds since 1970.
 */
export function boundsOf(range: TimeRange, now: number): TimeBounds {
  if (range.kind === "fixed") return timeRangeSearch(range);
  const length = spanLength(range.span);
  // The platform rejects times before 1970.
  return length === null ? {} : { from: new Date(Math.max(0, now - length)).toISOString() };
}

/** Milliseconds; null for `all` of the time. */
export function spanLength(span: string): number | null {
  const [, amount, unit = ""] = SPAN.exec(span) ?? [];
  return amount === undefined ? null : Number(amount) * (UNIT_MS[unit] ?? 0);
}

const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });
const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });

/**
 * A range in words, in local time.
 *
 * @example timeRangeLabel({ kind: "last", span: "1h" }) // "Last hour"
 */
export function timeRangeLabel(range: TimeRange): string {
  if (range.kind === "last") return spanLabel(range.span);
  const { from, to } = range;
  if (to === undefined) return `Since ${moment(from ?? "")}`;
  if (from === undefined) return `Until ${moment(to)}`;
  const [fromDay, toDay] = [from, to].map((time) => moment(time, day));
  return `${moment(from)} – ${fromDay === toDay ? moment(to, clock) : moment(to)}`;
}

function spanLabel(span: string): string {
  const [, amount, unit = ""] = SPAN.exec(span) ?? [];
  if (amount === undefined) return "All time";
  const name = UNIT_NAMES[unit] ?? "";
  return amount === "1" ? `Last ${name}` : `Last ${amount} ${name}s`;
}

function moment(time: string, format?: Intl.DateTimeFormat): string {
  const then = Date.parse(time);
  // An invalid time, typed into the address: shown as it is.
  if (Number.isNaN(then)) return time;
  return format?.format(then) ?? `${day.format(then)}, ${clock.format(then)}`;
}

/** The value of `<input type="datetime-local">`, in local time; empty for an invalid time. */
export function toLocalInput(time: string | undefined): string {
  const then = time === undefined ? Number.NaN : Date.parse(time);
  if (Number.isNaN(then)) return "";
  const date = new Date(then);
  const two = (part: number) => String(part).padStart(2, "0");
  const year = String(date.getFullYear()).padStart(4, "0");
  const days = `${year}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${days}T${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/** The UTC time of such a value; undefined if it is empty or invalid. */
export function fromLocalInput(text: string): string | undefined {
  const then = Date.parse(text);
  return Number.isNaN(then) ? undefined : new Date(then).toISOString();
}
