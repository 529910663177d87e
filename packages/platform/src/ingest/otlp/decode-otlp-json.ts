import { Buffer } from "node:buffer";
import type { DecodeLimits, DecodeOutcome } from "./decode-outcome.ts";
import {
  DEFAULT_DECODE_LIMITS,
  decodeSafely,
  tooManyValues,
  Undecodable,
} from "./decode-outcome.ts";
import type { IdFaults } from "./decoded-spans.ts";
import {
  DecodedSpans,
  type ResourceInProgress,
  type ScopeInProgress,
  startResource,
  startScope,
} from "./decoded-spans.ts";
import { canonicalName, type JsonObject, JsonReader, parseUint32 } from "./json-reader.ts";
import { readJsonAttribute, readJsonSpan } from "./read-json-span.ts";

/** How rejected spans and log records are described in JSON. */
export const ID_FAULTS: IdFaults = {
  traceId: "traceId must be 32 hex digits and not all zero",
  spanId: "spanId must be 16 hex digits and not all zero",
  parentSpanId: "parentSpanId must be 16 hex digits or empty",
};

/**
 * Decodes an ExportTraceServiceRequest in OTLP's JSON encoding: proto3's JSON form with hex ids.
 * Field names may be in camelCase or as in the .proto files; unknown ones are ignored. Never throws.
 */
export function decodeOtlpJson(
  bytes: Uint8Array,
  limits: DecodeLimits = DEFAULT_DECODE_LIMITS,
): DecodeOutcome {
  return decodeSafely(bytes, () => new RequestReader(limits).read(parseJson(bytes, limits.values)));
}

/** Throws {@link Undecodable}, or an error that says that there are too many values. */
export function parseJson(bytes: Uint8Array, maxValues: number): unknown {
  const { values, hasLongNumbers } = scanJson(bytes);
  // Before it is parsed: running out of memory inside of JSON.parse ends the process.
  if (values > maxValues) throw tooManyValues(maxValues);
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  const json = text.startsWith("\ufeff") ? text.slice(1) : text;
  try {
    return hasLongNumbers ? JSON.parse(json, keepDigits) : JSON.parse(json);
  } catch (error) {
    // What JSON.parse says of nesting that is too deep for its reviver.
    if (error instanceof RangeError) throw new Undecodable("nested too deep");
    if (!(error instanceof SyntaxError)) throw error;
    throw new Undecodable(`not JSON: ${error.message.slice(0, 160)}`);
  }
}

/** For JSON.parse: a whole number that a double cannot hold becomes a bigint. */
function keepDigits(_: string, value: unknown, context?: { readonly source: string }): unknown {
  if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
  const source = context?.source ?? "";
  return /^-?\d{1,20}$/.test(source) ? BigInt(source) : value;
}

class RequestReader {
  readonly #reader = new JsonReader();
  readonly #spans: DecodedSpans;
  /** How large the resource and the scope are that are being read. */
  #resourceBytes = 0;
  #scopeBytes = 0;

  constructor(limits: DecodeLimits) {
    this.#spans = new DecodedSpans(limits, ID_FAULTS);
  }

  read(parsed: unknown): DecodeOutcome {
    const request = this.#reader.object("", parsed);
    for (const field in request) {
      const value = request[field];
      if (value === null) continue;
      if (canonicalName(field) === "resourceSpans") {
        this.#reader.eachObject(field, value, (item) => this.#readResourceSpans(item));
      }
    }
    return this.#spans.outcome();
  }

  #readResourceSpans(resourceSpans: JsonObject): void {
    const resource = startResource();
    this.#resourceBytes = 0;
    const before = this.#spans.count;
    for (const field in resourceSpans) {
      const value = resourceSpans[field];
      if (value === null) continue;
      switch (canonicalName(field)) {
        case "resource":
          this.#reader.within(field, value, (object) => this.#readResource(object, resource));
          break;
        case "scopeSpans":
          this.#reader.eachObject(field, value, (item) => this.#readScopeSpans(item, resource));
          break;
        case "schemaUrl":
          resource.schemaUrl = this.#reader.string(field, value);
          break;
      }
    }
    this.#spans.repeat(this.#resourceBytes, before);
  }

  #readResource(object: JsonObject, resource: ResourceInProgress): void {
    this.#resourceBytes += sizeOf(object);
    for (const field in object) {
      const value = object[field];
      if (value !== null) this.#readCommonField(field, value, resource);
    }
  }

  #readScopeSpans(scopeSpans: JsonObject, resource: ResourceInProgress): void {
    const reader = this.#reader;
    const scope = startScope();
    this.#scopeBytes = 0;
    const before = this.#spans.count;
    for (const field in scopeSpans) {
      const value = scopeSpans[field];
      if (value === null) continue;
      switch (canonicalName(field)) {
        case "scope":
          reader.within(field, value, (object) => this.#readScope(object, scope));
          break;
        case "spans":
          reader.eachObject(field, value, (item) => {
            this.#spans.add(readJsonSpan(reader, item, resource, scope));
          });
          break;
        case "schemaUrl":
          scope.schemaUrl = reader.string(field, value);
          break;
      }
    }
    this.#spans.repeat(this.#scopeBytes, before);
  }

  #readScope(object: JsonObject, scope: ScopeInProgress): void {
    this.#scopeBytes += sizeOf(object);
    for (const field in object) {
      const value = object[field];
      if (value === null) continue;
      if (field === "name") scope.name = this.#reader.string(field, value);
      else if (field === "version") scope.version = this.#reader.string(field, value);
      else this.#readCommonField(field, value, scope);
    }
  }

  /** Reads the fields that a Resource and an InstrumentationScope have in common. */
  #readCommonField(field: string, value: unknown, into: ResourceInProgress): void {
    const reader = this.#reader;
    switch (canonicalName(field)) {
      case "attributes":
        reader.eachObject(field, value, (item) => readJsonAttribute(reader, item, into.attributes));
        break;
      case "droppedAttributesCount":
        into.droppedAttributesCount = reader.scalar(
          field,
          value,
          parseUint32,
          "an unsigned 32-bit integer",
        );
        break;
    }
  }
}

/** About how many bytes an object of JSON takes as text. */
function sizeOf(object: JsonObject): number {
  let size = 0;
  const rest: unknown[] = [object];
  while (rest.length > 0) {
    const value = rest.pop();
    size += typeof value === "string" ? value.length + 2 : 4;
    if (typeof value !== "object" || value === null) continue;
    for (const member of Object.values(value)) rest.push(member);
  }
  return size;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const ZERO = 0x30;
const NINE = 0x39;
const OPEN_LIST = 0x5b;
const OPEN_OBJECT = 0x7b;

/** Numbers of fewer digits are exact as doubles. */
const LONG_DIGITS = 16;
/** Commas separate values, of which several take as much memory as an empty object. */
const COMMAS_PER_VALUE = 4;

interface JsonScan {
  /** Objects and lists, and a part for each comma: what parsing would take memory for. */
  readonly values: number;
  /** Whether a number outside of strings may have more digits than a double holds. */
  readonly hasLongNumbers: boolean;
}

/** Looks at JSON before it is parsed. Takes any bytes. */
export function scanJson(bytes: Uint8Array): JsonScan {
  let opened = 0;
  let commas = 0;
  let digits = 0;
  let hasLongNumbers = false;
  for (let at = 0; at < bytes.length; at++) {
    const code = bytes[at] as number;
    if (code >= ZERO && code <= NINE) {
      digits++;
      if (digits === LONG_DIGITS) hasLongNumbers = true;
      continue;
    }
    digits = 0;
    if (code === QUOTE) at = endOfString(bytes, at);
    else if (code === OPEN_OBJECT || code === OPEN_LIST) opened++;
    else if (code === COMMA) commas++;
  }
  return { values: opened + Math.floor(commas / COMMAS_PER_VALUE), hasLongNumbers };
}

/** Where the string that begins here has its closing quote; past the end when it has none. */
function endOfString(bytes: Uint8Array, from: number): number {
  let at = from + 1;
  for (; at < bytes.length; at++) {
    const code = bytes[at] as number;
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at++;
  }
  return at;
}
