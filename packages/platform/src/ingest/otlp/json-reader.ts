import { Buffer } from "node:buffer";
import type { Instant } from "@agate/spans";
import { Undecodable } from "./decode-outcome.ts";
import { instantFromDigits, instantFromNumber } from "./span-fields.ts";

/** A parsed JSON object. Its keys are only ever compared, never followed: `__proto__` is data. */
export type JsonObject = Readonly<Record<string, unknown>>;

const LONGEST_PATH = 160;

/** OTLP's field names of more than one word. A sender may write each in camelCase or in snake_case. */
const FIELD_NAMES = [
  "arrayValue",
  "boolValue",
  "bytesValue",
  "dataPoints",
  "doubleValue",
  "droppedAttributesCount",
  "droppedEventsCount",
  "droppedLinksCount",
  "endTimeUnixNano",
  "eventName",
  "exponentialHistogram",
  "intValue",
  "kvlistValue",
  "logRecords",
  "observedTimeUnixNano",
  "parentSpanId",
  "resourceLogs",
  "resourceMetrics",
  "resourceSpans",
  "schemaUrl",
  "scopeLogs",
  "scopeMetrics",
  "scopeSpans",
  "spanId",
  "startTimeUnixNano",
  "stringValue",
  "timeUnixNano",
  "traceId",
  "traceState",
] as const;

/** What exporters before 2022 send. */
const OLD_NAMES = { instrumentationLibrarySpans: "scopeSpans", instrumentationLibrary: "scope" };

const CANONICAL_NAMES: ReadonlyMap<string, string> = new Map([
  ...FIELD_NAMES.map((name) => [snakeCase(name), name] as const),
  ...Object.entries(OLD_NAMES).flatMap(([old, name]) => [
    [old, name] as const,
    [snakeCase(old), name] as const,
  ]),
]);

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The camelCase name of a field, in whichever of its spellings it came. */
export function canonicalName(field: string): string {
  return CANONICAL_NAMES.get(field) ?? field;
}

/**
 * Reads fields of parsed JSON strictly by type, and knows where it is: a field of the wrong type is
 * reported with its path. `key` is always a field name of OTLP, so a path holds no client input.
 */
export class JsonReader {
  readonly #path: (string | number)[] = [];

  object(key: string, value: unknown): JsonObject {
    return isObject(value) ? value : this.fail(key, "an object");
  }

  string(key: string, value: unknown): string {
    // An unpaired surrogate is JSON's way to be invalid UTF-8.
    return typeof value === "string" ? value.toWellFormed() : this.fail(key, "a string");
  }

  bool(key: string, value: unknown): boolean {
    return typeof value === "boolean" ? value : this.fail(key, "true or false");
  }

  instant(key: string, value: unknown): Instant {
    let instant: Instant | null = null;
    if (typeof value === "string") instant = instantFromDigits(value);
    else if (typeof value === "bigint") instant = instantFromDigits(String(value));
    else if (typeof value === "number") instant = instantFromNumber(value);
    return instant ?? this.fail(key, "nanoseconds since 1970 as an unsigned 64-bit integer");
  }

  /** Reads with one of the functions of json-scalars. */
  scalar<T>(key: string, value: unknown, parse: (value: unknown) => T | null, what: string): T {
    return parse(value) ?? this.fail(key, what);
  }

  /** Reads an object field with `read`, during which the path is extended by the field. */
  within(key: string, value: unknown, read: (object: JsonObject) => void): void {
    const object = this.object(key, value);
    this.#path.push(key);
    read(object);
    this.#path.pop();
  }

  /** Reads every element of a list with `read`, likewise. */
  each(key: string, value: unknown, read: (item: unknown) => void): void {
    if (!Array.isArray(value)) this.fail(key, "a list");
    const list: readonly unknown[] = value;
    const indexAt = this.#path.push(key, 0) - 1;
    for (let i = 0; i < list.length; i += 1) {
      this.#path[indexAt] = i;
      read(list[i]);
    }
    this.#path.length -= 2;
  }

  /** Reads every element of a list of objects. */
  eachObject(key: string, value: unknown, read: (object: JsonObject) => void): void {
    this.each(key, value, (item) => read(this.object("", item)));
  }

  /** Ends the decoding: the field, or with an empty `key` the present place, is at fault. */
  fail(key: string, expected: string): never {
    let path = "";
    for (const segment of key === "" ? this.#path : [...this.#path, key]) {
      if (typeof segment === "number") path += `[${segment}]`;
      else path += path === "" ? segment : `.${segment}`;
    }
    if (path.length > LONGEST_PATH) path = `${path.slice(0, 80)}…${path.slice(-79)}`;
    throw new Undecodable(path === "" ? `expected ${expected}` : `${path}: expected ${expected}`);
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

// Proto3's JSON form of scalars. Each function gives null for a value that is not of its type.

/** A 64-bit integer, as a number or in digits: a number where that is exact, else a bigint. */
export function parseInt64(value: unknown): number | bigint | null {
  // A number of more digits than a double holds.
  if (typeof value === "bigint") return BigInt.asIntN(64, value) === value ? value : Number(value);
  if (typeof value === "number") {
    if (!Number.isInteger(value)) return null;
    // Adding 0 turns -0 into 0.
    if (Number.isSafeInteger(value)) return value + 0;
    // The OpenTelemetry JS exporter writes every whole number as intValue, 1e300 too.
    return value >= -(2 ** 63) && value < 2 ** 63 ? BigInt(value) : value;
  }
  // The length is bounded because BigInt takes quadratic time for long digits.
  if (typeof value !== "string" || !/^-?\d{1,20}$/.test(value)) return null;
  const exact = BigInt(value);
  if (BigInt.asIntN(64, exact) !== exact) return null;
  const near = Number(exact);
  return Number.isSafeInteger(near) ? near : exact;
}

/** An unsigned 32-bit integer, as a number or in digits. */
export function parseUint32(value: unknown): number | null {
  const number = typeof value === "string" && /^\d{1,10}$/.test(value) ? Number(value) : value;
  if (typeof number !== "number" || !Number.isInteger(number)) return null;
  return number >= 0 && number <= 0xffff_ffff ? number + 0 : null;
}

/** A double, as a number, in digits, or as one of the names that JSON has no number for. */
export function parseDouble(value: unknown): number | null {
  if (typeof value === "number") return value;
  if (typeof value === "bigint") return Number(value);
  if (typeof value !== "string") return null;
  if (/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(value)) return Number(value);
  return value === "NaN" || value === "Infinity" || value === "-Infinity" ? Number(value) : null;
}

/** Bytes in base64, with either alphabet, padded or not. */
export function parseBase64(value: unknown): Uint8Array | null {
  if (typeof value !== "string" || !/^[A-Za-z0-9+/_-]*={0,2}$/.test(value)) return null;
  // Out of Buffer's shared pool, which would keep 8 KB alive for a few bytes.
  return new Uint8Array(Buffer.from(value, "base64"));
}

/**
 * An id as lower-case hex. OTLP has hex ids; exporters that follow proto3's rule for bytes send 16
 * or 8 bytes in padded base64, which cannot be mistaken for hex.
 */
export function parseHexId(text: string): string | null {
  if (/^[0-9a-fA-F]*$/.test(text)) return text.toLowerCase();
  if (/^(?:[A-Za-z0-9+/]{22}==|[A-Za-z0-9+/]{11}=)$/.test(text)) {
    return Buffer.from(text, "base64").toString("hex");
  }
  return null;
}
