// How figures look to people, in the terminal and on the page alike. docs/reference/formats.md lists the rules.

/** Stands for a value that was not recorded. It is never shown as 0. */
export const UNKNOWN = "–";

/** From here on a compact count is rounded to three digits or four. */
const COMPACT_FROM = 10_000;

/**
 * Writes numbers as `toLocaleString` does with the same options, which makes a format for each number: that takes
 * thirty times as long as using one. It is made when the first number is written.
 *
 * @example const inCents = numberFormat({ minimumFractionDigits: 2 })
 */
export function numberFormat(options: Intl.NumberFormatOptions): (value: number) => string {
  let format: Intl.NumberFormat | undefined;
  return (value) => {
    format ??= new Intl.NumberFormat("en", options);
    return format.format(value);
  };
}

// The first number that a browser writes in a language takes it many milliseconds, and these are in the first rows
// that a page shows: what is written most is written without.

/** @example formatCount(12_345) // "12,345" */
export function formatCount(count: number | null): string {
  if (count === null) return UNKNOWN;
  if (!Number.isSafeInteger(count) || Object.is(count, -0)) return count.toLocaleString("en");
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

/**
 * A count that fits a narrow column: at most six characters. Show the whole number in a title.
 *
 * @example formatCompactCount(12_345) // "12.3K"
 */
export function formatCompactCount(count: number | null): string {
  if (count === null || Math.abs(count) < COMPACT_FROM) return formatCount(count);
  return compact(count);
}

const COMPACT_UNITS = [
  [1e3, "K"],
  [1e6, "M"],
  [1e9, "B"],
  [1e12, "T"],
] as const;

function compact(count: number): string {
  const size = Math.abs(count);
  for (const [unit, letter] of COMPACT_UNITS) {
    const tenths = Math.round((size * 10) / unit);
    // 999,950 is 1M: it would be 1000 with a K.
    if (tenths < 10_000) return `${count < 0 ? "-" : ""}${tenths / 10}${letter}`;
  }
  return longCompact(count);
}

const longCompact = numberFormat({ notation: "compact", maximumFractionDigits: 1 });

/** @example plural(2, "span") // "2 spans" */
export function plural(count: number | null, noun: string): string {
  if (count === null) return UNKNOWN;
  return `${formatCount(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/**
 * What a sum is of, where some of the things that it is about have no known value.
 *
 * @example partOf(60, 100, "traces") // "60 of 100 traces"
 * @returns null where the sum is of all of them, or of none.
 */
export function partOf(known: number, all: number, things: string): string | null {
  if (known === 0 || known === all) return null;
  return `${formatCount(known)} of ${formatCount(all)} ${things}`;
}

/**
 * What a sum of costs is of: the things that are priced in full, and those of which some calls have no price.
 *
 * @example costPartOf({ all: 7, known: 6, priced: 5 }, "calls") // "5 of 7 calls, 1 in part"
 * @returns null where the sum is of all of them, or of none.
 */
export function costPartOf(
  {
    all,
    known,
    priced,
  }: {
    readonly all: number;
    /** How many have a cost, be it of a part. */
    readonly known: number;
    readonly priced: number;
  },
  things: string,
): string | null {
  if (known === priced) return partOf(priced, all, things);
  return `${formatCount(priced)} of ${formatCount(all)} ${things}, ${formatCount(known - priced)} in part`;
}

/** In milliseconds. */
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Hours do not matter beyond this: such a span comes from a clock that was never set. */
const WHOLE_DAYS_FROM = 1000;

/**
 * Milliseconds with three significant digits below a minute, and in their two largest units above.
 * A second unit of 0 is left out.
 *
 * @example formatDuration(1934) // "1.93 s"
 * @example formatDuration(600_000) // "10 min"
 */
export function formatDuration(milliseconds: number | null): string {
  if (milliseconds === null || !Number.isFinite(milliseconds)) return UNKNOWN;
  if (milliseconds < 0.9995) return `${Math.round(milliseconds * 1000)} µs`;
  if (milliseconds < 999.5) return `${threeDigits(milliseconds)} ms`;
  if (milliseconds < 59_950) return `${threeDigits(milliseconds / SECOND)} s`;
  // Rounded first, so that 59.99 min becomes "1 h" and not "60 min".
  const seconds = Math.round(milliseconds / SECOND) * SECOND;
  if (seconds < HOUR) return twoUnits(seconds, MINUTE, "min", SECOND, "s");
  const minutes = Math.round(milliseconds / MINUTE) * MINUTE;
  if (minutes < DAY) return twoUnits(minutes, HOUR, "h", MINUTE, "min");
  const hours = Math.round(milliseconds / HOUR) * HOUR;
  if (hours < WHOLE_DAYS_FROM * DAY) return twoUnits(hours, DAY, "d", HOUR, "h");
  return `${Math.round(milliseconds / DAY).toLocaleString("en")} d`;
}

function threeDigits(value: number): string {
  return value.toFixed(value < 9.995 ? 2 : value < 99.95 ? 1 : 0);
}

function twoUnits(
  milliseconds: number,
  large: number,
  largeName: string,
  small: number,
  smallName: string,
): string {
  const first = `${Math.floor(milliseconds / large)} ${largeName}`;
  const rest = (milliseconds % large) / small;
  return rest === 0 ? first : `${first} ${rest} ${smallName}`;
}

/** In seconds: up to where a unit is used, its length and its name. */
const AGE_UNITS = [
  [60, 1, "s"],
  [3600, 60, "min"],
  [86_400, 3600, "h"],
  [Number.POSITIVE_INFINITY, 86_400, "d"],
] as const;

/** Clocks of other machines run ahead by seconds: up to here that is "now". */
const CLOCK_SKEW_SECONDS = 60;

/**
 * How long ago something happened, in its largest unit, rounded down.
 *
 * @example formatAgo("2026-11-15T10:00:00Z", Date.parse("2026-11-15T10:03:00Z")) // "3 min ago"
 */
export function formatAgo(time: string, now: number): string {
  const seconds = Math.round((now - Date.parse(time)) / 1000);
  if (Number.isNaN(seconds)) return UNKNOWN;
  if (seconds < 1 && seconds > -CLOCK_SKEW_SECONDS) return "now";
  const distance = Math.abs(seconds);
  for (const [below, length, name] of AGE_UNITS) {
    if (distance >= below) continue;
    const amount = `${Math.floor(distance / length)} ${name}`;
    return seconds < 0 ? `in ${amount}` : `${amount} ago`;
  }
  return UNKNOWN;
}

/** Smaller costs would need more digits than a column has. */
const LEAST = 0.000001;
/** From here on cents do not matter. */
const WHOLE_FROM = 100_000;

/**
 * US dollars. Below one dollar two significant digits, because most calls cost a fraction of a cent;
 * from one dollar on cents, and from 100,000 on whole dollars.
 *
 * @example formatCost(0.0124) // "$0.012"
 */
export function formatCost(dollars: number | null): string {
  if (dollars === null) return UNKNOWN;
  if (dollars === 0) return "$0";
  if (dollars < LEAST) return `<$${LEAST.toFixed(6)}`;
  // 0.995 is where two significant digits round up to a dollar.
  if (dollars < 0.995) return `$${twoDigits(dollars)}`;
  return `$${dollars < WHOLE_FROM ? cents(dollars) : whole(dollars)}`;
}

/**
 * A cost that some calls have no part in, because their price is unknown: what is known is the least it can be.
 *
 * @example formatTotalCost({ cost: 0.0124, unpriced_calls: 1 }) // "≥ $0.012"
 */
export function formatTotalCost({ cost, unpriced_calls: unpriced = 0 }: TotalCost): string {
  if (cost === null || unpriced === 0) return formatCost(cost);
  return `≥ ${cost < LEAST ? "$0" : formatCost(cost)}`;
}

/** Of a trace: as in `metadata.total`. */
export interface TotalCost {
  readonly cost: number | null;
  readonly unpriced_calls?: number | undefined;
}

/** @example unpricedText({ unpriced_calls: 2 }) // "2 calls without a price"; null where none is */
export function unpricedText({
  unpriced_calls: unpriced = 0,
}: Pick<TotalCost, "unpriced_calls">): string | null {
  return unpriced === 0 ? null : `${plural(unpriced, "call")} without a price`;
}

/** Of what is below 1. Half is rounded up as it is written: 0.0135, which a computer holds as a little less, is 0.014. */
function twoDigits(value: number): string {
  return (value * (1 + Number.EPSILON)).toPrecision(2);
}

const cents = numberFormat({ minimumFractionDigits: 2, maximumFractionDigits: 2 });
const whole = numberFormat({ maximumFractionDigits: 0 });

/**
 * The value of a score to three digits; one that is not 0 is never shown as 0.
 *
 * @example formatScore(0.66667) // "0.667"
 */
export function formatScore(value: number): string {
  return Math.abs(value) < 1 ? scoreBelowOne(value) : scoreFromOne(value);
}

const scoreBelowOne = numberFormat({ maximumSignificantDigits: 3 });
const scoreFromOne = numberFormat({ maximumFractionDigits: 2 });

const BYTE_UNITS = ["B", "KB", "MB", "GB"] as const;

/**
 * A size in units of 1,024, with one decimal below 10.
 *
 * @example formatBytes(194_519) // "190 KB"
 */
export function formatBytes(bytes: number): string {
  let size = bytes;
  let unit = 0;
  while (size >= (unit === 0 ? 1024 : 1023.5) && unit < BYTE_UNITS.length - 1) {
    size /= 1024;
    unit++;
  }
  return `${unit > 0 && size < 9.95 ? size.toFixed(1) : size.toFixed(0)} ${BYTE_UNITS[unit]}`;
}
