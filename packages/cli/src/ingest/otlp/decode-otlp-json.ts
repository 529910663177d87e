import { Buffer } from "node:buffer";
import type { OtlpSpan } from "@agate/spans";
import { MAX_BODY_BYTES } from "./decode-limits.ts";
import type { DecodeOutcome } from "./decode-outcome.ts";
import { type JsonObject, JsonReader } from "./json-reader.ts";
import { parseUint32 } from "./json-scalars.ts";
import { readJsonAttribute } from "./read-json-attribute.ts";
import { readJsonSpan } from "./read-json-span.ts";
import { RejectedSpans } from "./rejected-spans.ts";
import type { IdFaults } from "./span-ids.ts";
import {
  type ResourceInProgress,
  type ScopeInProgress,
  startResource,
  startScope,
} from "./span-origin.ts";
import { Undecodable } from "./undecodable.ts";

const ID_FAULTS: IdFaults = {
  traceId: "traceId must be 32 hex digits and not all zero",
  spanId: "spanId must be 16 hex digits and not all zero",
  parentSpanId: "parentSpanId must be 16 hex digits or empty",
};

/**
 * Decodes an ExportTraceServiceRequest in OTLP's JSON encoding: proto3's JSON form with hex ids.
 * Field names may be in camelCase or as in the .proto files; unknown ones are ignored. Never throws.
 */
export function decodeOtlpJson(bytes: Uint8Array): DecodeOutcome {
  if (bytes.byteLength > MAX_BODY_BYTES) {
    return { kind: "undecodable", reason: `more than ${MAX_BODY_BYTES} bytes` };
  }
  try {
    return new RequestReader().read(parseJson(bytes));
  } catch (error) {
    if (error instanceof Undecodable) return { kind: "undecodable", reason: error.message };
    throw error;
  }
}

function parseJson(bytes: Uint8Array): unknown {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  try {
    return JSON.parse(text.startsWith("\ufeff") ? text.slice(1) : text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new Undecodable(`not JSON: ${error.message.slice(0, 160)}`);
  }
}

class RequestReader {
  readonly #reader = new JsonReader();
  readonly #spans: OtlpSpan[] = [];
  readonly #rejected = new RejectedSpans();

  read(parsed: unknown): DecodeOutcome {
    const request = this.#reader.object("", parsed);
    for (const field in request) {
      const value = request[field];
      if (value === null) continue;
      if (field === "resourceSpans" || field === "resource_spans") {
        this.#reader.eachObject(field, value, (item) => this.#readResourceSpans(item));
      }
    }
    return {
      kind: "decoded",
      request: {
        spans: this.#spans,
        rejected: this.#rejected.total,
        rejectedReason: this.#rejected.sentence,
      },
    };
  }

  #readResourceSpans(resourceSpans: JsonObject): void {
    const resource = startResource();
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
  }

  #readResource(object: JsonObject, resource: ResourceInProgress): void {
    for (const field in object) {
      const value = object[field];
      if (value !== null) this.#readCommonField(field, value, resource);
    }
  }

  #readScopeSpans(scopeSpans: JsonObject, resource: ResourceInProgress): void {
    const reader = this.#reader;
    const scope = startScope();
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
            const span = readJsonSpan(reader, item, resource, scope);
            if (typeof span === "string") this.#rejected.add(ID_FAULTS[span]);
            else this.#spans.push(span);
          });
          break;
        case "schemaUrl":
        case "schema_url":
          scope.schemaUrl = reader.string(field, value);
          break;
      }
    }
  }

  #readScope(object: JsonObject, scope: ScopeInProgress): void {
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
