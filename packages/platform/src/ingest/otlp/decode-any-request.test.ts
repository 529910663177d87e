import { Buffer } from "node:buffer";
import type { Attributes, AttributeValue, Instant, OtlpSpan } from "@agate/spans";
import fc from "fast-check";
import { expect, it } from "vitest";
import { decodeOtlpJson } from "./decode-otlp-json.ts";
import { decodeOtlpProtobuf } from "./decode-otlp-protobuf.ts";
import type { DecodeOutcome } from "./decode-outcome.ts";
import {
  anyOtlpTree,
  type OtlpTree,
  type TreeAttribute,
  type TreeValue,
} from "./testing/otlp-tree.fixture.ts";
import { treeToJson } from "./testing/tree-to-json.fixture.ts";
import { treeToProtobuf } from "./testing/tree-to-protobuf.fixture.ts";

it("decodes any request to what it says, in every form of both encodings", () => {
  const protobufStyle = fc.record({ reversed: fc.boolean(), unknownFields: fc.boolean() });
  const jsonStyle = fc.record({
    names: fc.constantFrom("camelCase", "snake_case"),
    integers: fc.constantFrom("text", "number"),
    ids: fc.constantFrom("lower", "upper", "base64"),
    enums: fc.constantFrom("number", "name"),
  });
  fc.assert(
    fc.property(anyOtlpTree, protobufStyle, jsonStyle, (tree, protobuf, json) => {
      const expected = expectedSpans(tree);
      expectSpans(decodeOtlpProtobuf(treeToProtobuf(tree, protobuf)), expected);
      expectSpans(decodeOtlpJson(treeToJson(tree, json)), expected);
    }),
    { numRuns: 100 },
  );
});

function expectSpans(outcome: DecodeOutcome, expected: { spans: OtlpSpan[]; rejected: number }) {
  if (outcome.kind !== "decoded") throw new Error(outcome.reason);
  expect(outcome.request.spans).toEqual(expected.spans);
  expect(outcome.request.rejected).toBe(expected.rejected);
  expect(outcome.request.rejectedReason === "").toBe(expected.rejected === 0);
}

function expectedSpans(tree: OtlpTree): { spans: OtlpSpan[]; rejected: number } {
  const spans: OtlpSpan[] = [];
  let rejected = 0;
  for (const { scopes, ...resource } of tree) {
    for (const { spans: treeSpans, ...scope } of scopes) {
      for (const span of treeSpans) {
        if (!isId(span.traceId, 16) || !isId(span.spanId, 8)) {
          rejected += 1;
          continue;
        }
        const parentless = span.parentSpanId.every((byte) => byte === 0);
        if (!parentless && span.parentSpanId.length !== 8) {
          rejected += 1;
          continue;
        }
        spans.push({
          traceId: hex(span.traceId),
          spanId: hex(span.spanId),
          parentSpanId: parentless ? null : hex(span.parentSpanId),
          traceState: span.traceState,
          flags: span.flags,
          name: span.name,
          kind: span.kind <= 5 ? span.kind : 0,
          start: instant(span.start),
          end: instant(span.end),
          attributes: attributes(span.attributes),
          events: span.events.map((event) => ({
            name: event.name,
            time: instant(event.time),
            attributes: attributes(event.attributes),
            droppedAttributesCount: event.dropped,
          })),
          links: span.links.map((link) => ({
            traceId: hex(link.traceId),
            spanId: hex(link.spanId),
            traceState: link.traceState,
            attributes: attributes(link.attributes),
            flags: link.flags,
            droppedAttributesCount: link.dropped,
          })),
          statusCode: span.statusCode <= 2 ? span.statusCode : 0,
          statusMessage: span.statusMessage,
          droppedAttributesCount: span.droppedAttributes,
          droppedEventsCount: span.droppedEvents,
          droppedLinksCount: span.droppedLinks,
          resource: {
            attributes: attributes(resource.attributes),
            schemaUrl: resource.schemaUrl,
            droppedAttributesCount: resource.dropped,
          },
          scope: {
            name: scope.name,
            version: scope.version,
            attributes: attributes(scope.attributes),
            schemaUrl: scope.schemaUrl,
            droppedAttributesCount: scope.dropped,
          },
        });
      }
    }
  }
  return { spans, rejected };
}

function isId(id: Uint8Array, size: number): boolean {
  return id.length === size && id.some((byte) => byte !== 0);
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}

function instant(nanos: bigint): Instant {
  return { us: Number(nanos / 1000n), nanos: Number(nanos % 1000n) };
}

function attributes(pairs: readonly TreeAttribute[]): Attributes {
  return new Map(pairs.map(([key, value]) => [key, attributeValue(value)]));
}

function attributeValue(value: TreeValue): AttributeValue {
  switch (value.kind) {
    case "none":
      return null;
    case "int":
      return Number.isSafeInteger(Number(value.value)) ? Number(value.value) : value.value;
    case "list":
      return value.value.map(attributeValue);
    case "map":
      return attributes(value.value);
    default:
      return value.value;
  }
}
