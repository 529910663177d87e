import type { OtlpSpan } from "@agate/spans";
import { JsonTraceSerializer, ProtobufTraceSerializer } from "@opentelemetry/otlp-transformer";
import { describe, expect, it } from "vitest";
import { decodeOtlpJson } from "./decode-otlp-json.ts";
import { decodeOtlpProtobuf } from "./decode-otlp-protobuf.ts";
import type { DecodeOutcome } from "./decode-outcome.ts";
import { recordSpans } from "./testing/recorded-spans.fixture.ts";

function decoded(outcome: DecodeOutcome): readonly OtlpSpan[] {
  if (outcome.kind !== "decoded") throw new Error(outcome.reason);
  expect(outcome.request.rejected).toBe(0);
  expect(outcome.request.rejectedReason).toBe("");
  return outcome.request.spans;
}

const recorded = recordSpans();
const encodings = {
  protobuf: () =>
    decoded(decodeOtlpProtobuf(ProtobufTraceSerializer.serializeRequest(recorded) as Uint8Array)),
  json: () => decoded(decodeOtlpJson(JsonTraceSerializer.serializeRequest(recorded) as Uint8Array)),
};

/** JavaScript writes a double with as few digits as tell it from others, which JSON then holds. */
const LARGE_NUMBERS = {
  protobuf: [-9_223_372_036_854_775_808n, 1_152_921_504_606_846_976n],
  json: [-9_223_372_036_854_776_000, 1_152_921_504_606_847_000n],
} as const;

describe.each(["protobuf", "json"] as const)("spans of the OpenTelemetry SDK as %s", (encoding) => {
  const decode = encodings[encoding];
  const [mostNegative, past53] = LARGE_NUMBERS[encoding];
  const spans = decode();
  const named = (name: string) => spans.find((span) => span.name === name) as OtlpSpan;
  const root = named("chat модель 🜁");
  const child = named("child");
  const alone = named("alone");

  it("keeps ids, parents, kinds and flags", () => {
    expect(spans).toHaveLength(3);
    expect(root).toMatchObject({
      traceId: "0af7651916cd43dd8448eb211c80319c",
      spanId: "b7ad6b7169203301",
      parentSpanId: "00f067aa0ba902b7",
      traceState: "vendor=a,other=b",
      kind: 3,
      flags: 0x301,
    });
    expect(child).toMatchObject({
      spanId: "b7ad6b7169203302",
      parentSpanId: "b7ad6b7169203301",
      kind: 1,
    });
    expect(alone).toMatchObject({ parentSpanId: null, flags: 0x101 });
  });

  it("keeps times to the nanosecond", () => {
    expect(root.start).toEqual({ us: 1_790_000_000_123_456, nanos: 789 });
    expect(root.end).toEqual({ us: 1_790_000_001_000_000, nanos: 1 });
    expect(child.end).toEqual({ us: 1_790_000_000_500_000, nanos: 999 });
    expect(alone.start).toEqual({ us: 0, nanos: 0 });
    expect(alone.end).toEqual({ us: 0, nanos: 1 });
  });

  it("keeps every kind of attribute value", () => {
    expect(root.attributes).toEqual(
      new Map<string, unknown>([
        ["text", "naïve 漢字 🜁 \u0000 end"],
        ["empty", ""],
        ["long", "x".repeat(500)],
        ["yes", true],
        ["no", false],
        ["zero", 0],
        ["small", 42],
        ["negative", -42],
        ["most negative", mostNegative],
        ["past 2^53", past53],
        ["safe max", Number.MAX_SAFE_INTEGER],
        ["whole double", 1e300],
        ["fraction", -0.1],
        ["bytes", new Uint8Array([0, 1, 254, 255])],
        ["list", ["a", 1, true, 0.5, null, ["nested"]]],
        [
          "map",
          new Map<string, unknown>([
            ["inner", new Map([["deep", [1, new Map([["x", "y"]])]]])],
            ["none", null],
          ]),
        ],
        ["nothing", null],
        ["constructor", "data"],
      ]),
    );
  });

  it("keeps events, links, status and what was dropped", () => {
    expect(root.events).toEqual([
      {
        name: "first token",
        time: { us: 1_790_000_000_200_000, nanos: 1 },
        attributes: new Map([
          ["index", 0],
          ["time.s", 0.25],
        ]),
        droppedAttributesCount: 0,
      },
      {
        name: "done",
        time: { us: 1_790_000_001_999_999, nanos: 999 },
        attributes: new Map(),
        droppedAttributesCount: 0,
      },
    ]);
    expect(root.droppedEventsCount).toBe(1);
    expect(root.links).toEqual([
      {
        traceId: "f".repeat(32),
        spanId: "e".repeat(16),
        traceState: "",
        attributes: new Map<string, unknown>([
          ["why", "batch"],
          ["at", 7],
        ]),
        flags: 0x100,
        droppedAttributesCount: 0,
      },
      {
        traceId: "d".repeat(32),
        spanId: "c".repeat(16),
        traceState: "k=v",
        attributes: new Map(),
        flags: 0x301,
        droppedAttributesCount: 0,
      },
    ]);
    expect([root.statusCode, root.statusMessage]).toEqual([2, "überlastet"]);
    expect([child.statusCode, child.statusMessage]).toEqual([1, ""]);
    expect([alone.statusCode, alone.statusMessage]).toEqual([0, ""]);
  });

  it("shares one resource and one scope object between their spans", () => {
    expect(root.resource).toEqual({
      attributes: new Map<string, unknown>([
        ["service.name", "tést"],
        ["process.pid", 4711],
      ]),
      schemaUrl: "https://example.com/resource",
      droppedAttributesCount: 0,
    });
    expect(root.scope).toEqual({
      name: "agate-test",
      version: "1.2.3",
      attributes: new Map(),
      schemaUrl: "https://example.com/scope",
      droppedAttributesCount: 0,
    });
    expect(child.resource).toBe(root.resource);
    expect(child.scope).toBe(root.scope);
    expect(alone.resource).toBe(root.resource);
    expect(alone.scope).toMatchObject({ name: "other", version: "" });
  });
});

it("decodes both encodings of the same spans to the same values", () => {
  const small = (spans: readonly OtlpSpan[]) =>
    spans.map((span) => {
      const attributes = new Map(span.attributes);
      for (const name of ["most negative", "past 2^53"]) attributes.delete(name);
      return { ...span, attributes };
    });
  expect(small(encodings.json())).toEqual(small(encodings.protobuf()));
});
