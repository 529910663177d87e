/** The parameters of an address that a time range is kept in. */
export interface TimeRangeSearch {
  /** A range that ends now: `15m`, `1h`, `24h`, `7d`, `30d`; or `all`. */
  readonly range?: string;
  /** Or a fixed one, ISO 8601; either end may be open. */
  readonly from?: string;
  readonly to?: string;
}

/** `span` is a number of `s`, `m`, `h` or `d`, or `all` of the time. */
export type TimeRange =
  | { readonly kind: "last"; readonly span: string }
  | { readonly kind: "fixed"; readonly from?: string; readonly to?: string };

/** What is asked of the platform; without an end, it is open. */
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
 * The range that an address names; a span that makes no sense is the fallback. Fixed ends are taken
 * as they are: the platform says what is wrong with them.
 *
 * @example parseTimeRange({ range: "7d" }) // { kind: "last", span: "7d" }
 */
export function parseTimeRange(search: TimeRangeSearch, fallback = "24h"): TimeRange {
  const { range, from, to } = search;
  if (from || to) return { kind: "fixed", ...(from && { from }), ...(to && { to }) };
  const isKnown = range !== undefined && (range === "all" || SPAN.test(range));
  return { kind: "last", span: isKnown ? range : fallback };
}

/** A range as an address has it. */
export function timeRangeSearch(range: TimeRange): TimeRangeSearch {
  if (range.kind === "last") return { range: range.span };
  const { from, to } = range;
  return { ...(from && { from }), ...(to && { to }) };
}

/** An address with another range in it, and nothing left of the one before. */
export function withTimeRange<Search extends TimeRangeSearch>(
  search: Search,
  range: TimeRange,
): Omit<Search, keyof TimeRangeSearch> & TimeRangeSearch {
  const { range: _range, from: _from, to: _to, ...rest } = search;
  return { ...rest, ...timeRangeSearch(range) };
}

/**
 * When a range begins and ends. One that ends now has no `to`: what begins meanwhile belongs to it.
 *
 * @param now Milliseconds since 1970.
 */
export function boundsOf(range: TimeRange, now: number): TimeBounds {
  if (range.kind === "fixed") return timeRangeSearch(range);
  const length = spanLength(range.span);
  // The platform knows no time before 1970.
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
 * A range in words, where the reader is.
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
  // Typed into the address by hand: shown as it is.
  if (Number.isNaN(then)) return time;
  return format?.format(then) ?? `${day.format(then)}, ${clock.format(then)}`;
}

/** A time as `<input type="datetime-local">` has it, where the reader is; empty for what is no time. */
export function toLocalInput(time: string | undefined): string {
  const then = time === undefined ? Number.NaN : Date.parse(time);
  if (Number.isNaN(then)) return "";
  const date = new Date(then);
  const two = (part: number) => String(part).padStart(2, "0");
  const year = String(date.getFullYear()).padStart(4, "0");
  const days = `${year}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${days}T${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/** What was typed there, in UTC; undefined where nothing is, or no time. */
export function fromLocalInput(text: string): string | undefined {
  const then = Date.parse(text);
  return Number.isNaN(then) ? undefined : new Date(then).toISOString();
}
