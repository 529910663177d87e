import type { DecodeLimits, DecodeOutcome } from "./decode-outcome.ts";
import { DEFAULT_DECODE_LIMITS, decodeSafely } from "./decode-outcome.ts";
import type { IdFaults } from "./decoded-spans.ts";
import {
  DecodedSpans,
  type ResourceInProgress,
  type ScopeInProgress,
  startResource,
  startScope,
} from "./decoded-spans.ts";
import { OtlpWireReader } from "./otlp-wire-reader.ts";
import { readProtobufAttribute } from "./read-protobuf-attribute.ts";
import { readProtobufSpan } from "./read-protobuf-span.ts";

// Tags: field number times eight, plus wire type.
const RESOURCE_SPANS = (1 << 3) | 2;

const RESOURCE = (1 << 3) | 2;
const SCOPE_SPANS = (2 << 3) | 2;
const RESOURCE_SCHEMA_URL = (3 << 3) | 2;
/** What exporters before 2022 send in place of scope_spans, with the same layout. */
const INSTRUMENTATION_LIBRARY_SPANS = (1000 << 3) | 2;
const RESOURCE_ATTRIBUTES = (1 << 3) | 2;
const RESOURCE_DROPPED_ATTRIBUTES = (2 << 3) | 0;

const SCOPE = (1 << 3) | 2;
const SPANS = (2 << 3) | 2;
const SCOPE_SCHEMA_URL = (3 << 3) | 2;
const SCOPE_NAME = (1 << 3) | 2;
const SCOPE_VERSION = (2 << 3) | 2;
const SCOPE_ATTRIBUTES = (3 << 3) | 2;
const SCOPE_DROPPED_ATTRIBUTES = (4 << 3) | 0;

/** How rejected spans and log records are described in protobuf. */
export const ID_FAULTS: IdFaults = {
  traceId: "trace_id must be 16 bytes and not all zero",
  spanId: "span_id must be 8 bytes and not all zero",
  parentSpanId: "parent_span_id must be 8 bytes or empty",
};

/** Decodes an ExportTraceServiceRequest in protobuf's binary encoding. Never throws. */
export function decodeOtlpProtobuf(
  bytes: Uint8Array,
  limits: DecodeLimits = DEFAULT_DECODE_LIMITS,
): DecodeOutcome {
  return decodeSafely(bytes, () => new RequestReader(bytes, limits).read());
}

class RequestReader {
  readonly #reader: OtlpWireReader;
  readonly #spans: DecodedSpans;
  /** How large the resource and the scope are that are being read. */
  #resourceBytes = 0;
  #scopeBytes = 0;

  constructor(bytes: Uint8Array, limits: DecodeLimits) {
    this.#reader = new OtlpWireReader(bytes, limits.values);
    this.#spans = new DecodedSpans(limits, ID_FAULTS);
  }

  read(): DecodeOutcome {
    const reader = this.#reader;
    while (reader.pos < reader.end) {
      const tag = reader.tag();
      if (tag === RESOURCE_SPANS) this.#readResourceSpans();
      else reader.skip(tag);
    }
    return this.#spans.outcome();
  }

  #readResourceSpans(): void {
    const reader = this.#reader;
    const resource = startResource();
    this.#resourceBytes = 0;
    const before = this.#spans.count;
    const outer = reader.enter();
    while (reader.pos < reader.end) {
      const tag = reader.tag();
      switch (tag) {
        case RESOURCE:
          this.#readResource(resource);
          break;
        case SCOPE_SPANS:
        case INSTRUMENTATION_LIBRARY_SPANS:
          this.#readScopeSpans(resource);
          break;
        case RESOURCE_SCHEMA_URL:
          resource.schemaUrl = reader.string();
          break;
        default:
          reader.skip(tag);
      }
    }
    this.#spans.repeat(this.#resourceBytes, before);
    reader.leave(outer);
  }

  #readResource(resource: ResourceInProgress): void {
    const reader = this.#reader;
    const outer = reader.enter();
    this.#resourceBytes += reader.end - reader.pos;
    while (reader.pos < reader.end) {
      const tag = reader.tag();
      switch (tag) {
        case RESOURCE_ATTRIBUTES:
          readProtobufAttribute(reader, resource.attributes);
          break;
        case RESOURCE_DROPPED_ATTRIBUTES:
          resource.droppedAttributesCount = reader.uint32();
          break;
        default:
          reader.skip(tag);
      }
    }
    reader.leave(outer);
  }

  #readScopeSpans(resource: ResourceInProgress): void {
    const reader = this.#reader;
    const scope = startScope();
    this.#scopeBytes = 0;
    const before = this.#spans.count;
    const outer = reader.enter();
    while (reader.pos < reader.end) {
      const tag = reader.tag();
      switch (tag) {
        case SPANS:
          this.#spans.add(readProtobufSpan(reader, resource, scope));
          break;
        case SCOPE:
          this.#readScope(scope);
          break;
        case SCOPE_SCHEMA_URL:
          scope.schemaUrl = reader.string();
          break;
        default:
          reader.skip(tag);
      }
    }
    this.#spans.repeat(this.#scopeBytes, before);
    reader.leave(outer);
  }

  #readScope(scope: ScopeInProgress): void {
    const reader = this.#reader;
    const outer = reader.enter();
    this.#scopeBytes += reader.end - reader.pos;
    while (reader.pos < reader.end) {
      const tag = reader.tag();
      switch (tag) {
        case SCOPE_NAME:
          scope.name = reader.string();
          break;
        case SCOPE_VERSION:
          scope.version = reader.string();
          break;
        case SCOPE_ATTRIBUTES:
          readProtobufAttribute(reader, scope.attributes);
          break;
        case SCOPE_DROPPED_ATTRIBUTES:
          scope.droppedAttributesCount = reader.uint32();
          break;
        default:
          reader.skip(tag);
      }
    }
    reader.leave(outer);
  }
}
