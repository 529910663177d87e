import type { Attributes, Instant } from "@agate/spans";

const KINDS = [
  "SPAN_KIND_UNSPECIFIED",
  "SPAN_KIND_INTERNAL",
  "SPAN_KIND_SERVER",
  "SPAN_KIND_CLIENT",
  "SPAN_KIND_PRODUCER",
  "SPAN_KIND_CONSUMER",
];
const STATUS_CODES = ["STATUS_CODE_UNSET", "STATUS_CODE_OK", "STATUS_CODE_ERROR"];

// A value that this version does not know counts as 0, which says nothing about the span: its
// other fields are worth keeping.

/** A SpanKind by number. */
export function knownKind(kind: number): number {
  return kind < KINDS.length ? kind : 0;
}

/** A StatusCode by number. */
export function knownStatusCode(code: number): number {
  return code < STATUS_CODES.length ? code : 0;
}

/** A SpanKind from JSON, by number or by name; null when it is neither. */
export function parseKind(value: unknown): number | null {
  return parseEnum(value, KINDS);
}

/** A StatusCode from JSON, likewise. */
export function parseStatusCode(value: unknown): number | null {
  return parseEnum(value, STATUS_CODES);
}

function parseEnum(value: unknown, names: readonly string[]): number | null {
  if (typeof value === "string") return Math.max(names.indexOf(value), 0);
  if (typeof value !== "number" || !Number.isInteger(value)) return null;
  return value > 0 && value < names.length ? value : 0;
}

const TWO_32 = 2 ** 32;
const MAX_UINT64 = "18446744073709551615";

/** No time was given. */
export const NO_TIME: Instant = { us: 0, nanos: 0 };

/** The instant of `high * 2^32 + low` nanoseconds since 1970, both unsigned 32-bit. */
export function instantFromUint64(low: number, high: number): Instant {
  // Long division by 1000 in two steps: each stays far below 2^53, so nothing is rounded.
  const rest = (high % 1000) * TWO_32 + low;
  return {
    us: Math.floor(high / 1000) * TWO_32 + Math.floor(rest / 1000),
    nanos: rest % 1000,
  };
}

/** The instant of a whole number of nanoseconds since 1970; null when it is no uint64. */
export function instantFromNumber(nanos: number): Instant | null {
  // 2^64 itself passes: it is what JSON.parse makes of 18446744073709551615.
  if (!Number.isInteger(nanos) || nanos < 0 || nanos > 2 ** 64) return null;
  const high = Math.floor(nanos / TWO_32);
  return instantFromUint64(nanos - high * TWO_32, high);
}

/** The instant of nanoseconds since 1970 in decimal digits; null when they are no uint64. */
export function instantFromDigits(digits: string): Instant | null {
  if (!/^\d{1,20}$/.test(digits)) return null;
  if (digits.length === MAX_UINT64.length && digits > MAX_UINT64) return null;
  return { us: Number(digits.slice(0, -3)), nanos: Number(digits.slice(-3)) };
}

/** What has no attributes shares this one: most events and links, and many scopes. */
export const EMPTY_ATTRIBUTES: Attributes = new Map();
