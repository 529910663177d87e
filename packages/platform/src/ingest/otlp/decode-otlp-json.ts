import { Buffer } from "node:buffer";
import type { DecodeLimits } from "./decode-limits.ts";
import { DEFAULT_DECODE_LIMITS, MAX_BODY_BYTES } from "./decode-limits.ts";
import type { DecodeOutcome } from "./decode-outcome.ts";
import { DecodedSpans } from "./decoded-spans.ts";
import { type JsonObject, JsonReader } from "./json-reader.ts";
import { parseUint32 } from "./json-scalars.ts";
import { readJsonAttribute } from "./read-json-attribute.ts";
import { readJsonSpan } from "./read-json-span.ts";
import { scanJson } from "./scan-json.ts";
import type { IdFaults } from "./span-ids.ts";
import {
  type ResourceInProgress,
  type ScopeInProgress,
  startResource,
  startScope,
} from "./span-origin.ts";
import { Oversized, tooManyValues, Undecodable } from "./undecodable.ts";

const ID_FAULTS: IdFaults = {
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
  if (bytes.byteLength > MAX_BODY_BYTES) {
    return { kind: "undecodable", reason: `more than ${MAX_BODY_BYTES} bytes` };
  }
  try {
    return new RequestReader(limits).read(parseJson(bytes, limits.values));
  } catch (error) {
    if (error instanceof Oversized) return error.outcome;
    if (error instanceof Undecodable) return { kind: "undecodable", reason: error.message };
    throw error;
  }
}

function parseJson(bytes: Uint8Array, maxValues: number): unknown {
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
      if (field === "resourceSpans" || field === "resource_spans") {
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
      switch (field) {
        case "resource":
          this.#reader.within(field, value, (object) => this.#readResource(object, resource));
          break;
        case "scopeSpans":
        case "scope_spans":
        // What exporters before 2022 send.
        case "instrumentationLibrarySpans":
        case "instrumentation_library_spans":
          this.#reader.eachObject(field, value, (item) => this.#readScopeSpans(item, resource));
          break;
        case "schemaUrl":
        case "schema_url":
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
      switch (field) {
        case "scope":
        case "instrumentationLibrary":
        case "instrumentation_library":
          reader.within(field, value, (object) => this.#readScope(object, scope));
          break;
        case "spans":
          reader.eachObject(field, value, (item) => {
            this.#spans.add(readJsonSpan(reader, item, resource, scope));
          });
          break;
        case "schemaUrl":
        case "schema_url":
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
    switch (field) {
      case "attributes":
        reader.eachObject(field, value, (item) => readJsonAttribute(reader, item, into.attributes));
        break;
      case "droppedAttributesCount":
      case "dropped_attributes_count":
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
