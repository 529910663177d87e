import { createHash } from "node:crypto";
import { isRecord } from "@agate/protocol";

const TRACE_ID = /^[0-9a-f]{32}$/;
const SPAN_ID = /^[0-9a-f]{16}$/;
const ZERO = /^0*$/;

/**
 * The id of a trace in OpenTelemetry: the same for the same id, so that importing again replaces.
 * A UUID stays recognisable; any other text becomes a hash.
 */
export function traceIdOf(id: string): string {
  const hex = id.toLowerCase().replaceAll("-", "");
  return TRACE_ID.test(hex) && !ZERO.test(hex) ? hex : hashOf(id).slice(0, 32);
}

/** The id of a span. Ids that are none of OpenTelemetry's are unique in their trace alone. */
export function spanIdOf(id: string, traceId: string): string {
  const hex = id.toLowerCase();
  return SPAN_ID.test(hex) && !ZERO.test(hex) ? hex : hashOf(`${traceId}/${id}`).slice(0, 16);
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

const WHEN =
  /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.(\d{1,9})\d*)?\s*(Z|UTC|[+-]\d\d:?\d\d)?$/i;

/** A point in time as nanoseconds since 1970: RFC 3339, the same without `T` or offset (UTC), or a number. */
export function nanosOf(value: unknown): bigint | null {
  if (typeof value === "number") return nanosOfNumber(value);
  if (typeof value !== "string") return null;
  if (/^\d{10,19}$/.test(value)) return BigInt(value) * BigInt(unitOf(Number(value)));
  const [, day, time, fraction = "", offset = "Z"] = WHEN.exec(value.trim()) ?? [];
  if (day === undefined) return null;
  const zone = /^(?:Z|UTC)$/i.test(offset) ? "Z" : offset.replace(/^(...)(\d\d)$/, "$1:$2");
  const seconds = Date.parse(`${day}T${time}${zone}`);
  if (Number.isNaN(seconds) || seconds < 0) return null;
  return BigInt(seconds) * 1_000_000n + BigInt(fraction.padEnd(9, "0"));
}

function nanosOfNumber(value: number): bigint | null {
  if (!Number.isFinite(value) || value <= 0) return null;
  const unit = unitOf(value);
  // To the microsecond: a double holds no more of today's times.
  return unit === 1 ? BigInt(Math.round(value)) : BigInt(Math.round((value * unit) / 1e3)) * 1_000n;
}

/** In nanoseconds. pandas writes milliseconds, or what `date_unit` names: the size of the number shows which. */
function unitOf(value: number): number {
  return value < 1e11 ? 1e9 : value < 1e14 ? 1e6 : value < 1e17 ? 1e3 : 1;
}

/** A text that is not empty; numbers and truth values as text. */
export function textIn(value: unknown): string | null {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return typeof value === "string" && value !== "" ? value : null;
}

/** An object, or one written as JSON; null for all else, and for one without members. */
export function objectIn(value: unknown): Readonly<Record<string, unknown>> | null {
  const given = typeof value === "string" && value.startsWith("{") ? parsedOrNull(value) : value;
  return isRecord(given) && Object.keys(given).length > 0 ? given : null;
}

/** A list, or one written as JSON. */
export function listIn(value: unknown): readonly unknown[] {
  const given = typeof value === "string" && value.startsWith("[") ? parsedOrNull(value) : value;
  return Array.isArray(given) ? given : [];
}

/** Text as it is, anything else as JSON. */
export function contentIn(value: unknown): string | null {
  if (value === null || value === undefined || value === "") return null;
  return typeof value === "string" ? value : JSON.stringify(value);
}

function parsedOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
