import type { Attributes, Link } from "@opentelemetry/api";
import { TraceState } from "@opentelemetry/core";
import { ProtobufTraceSerializer } from "@opentelemetry/otlp-transformer";
import { resourceFromAttributes } from "@opentelemetry/resources";
import type { ReadableSpan } from "@opentelemetry/sdk-trace";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeOtlpProtobuf } from "../../../../platform/src/ingest/otlp/decode-otlp-protobuf.ts";
import type { OtlpRequest } from "../../../../platform/src/ingest/otlp/decode-outcome.ts";
import { recordSpans } from "../../../../platform/src/ingest/otlp/testing/recorded-spans.fixture.ts";
import type { AnyReadableSpan, EndedSpan } from "../ended-span.ts";
import { addSecret, Secrets } from "../secrets.ts";
import { SpanReader } from "../span-reader.ts";
import { LONGEST_REPEATED } from "./otlp-writer.ts";
import { TraceRequestEncoder } from "./trace-request-encoder.ts";

const SECRET = "hush-hush";
const TRACE_ID = "0af7651916cd43dd8448eb211c80319c";

const anyText = fc.oneof(
  fc.string(),
  fc.string({ unit: "binary", maxLength: 200 }),
  // Halves of surrogate pairs among them.
  fc.array(fc.integer({ min: 0, max: 0xffff })).map((codes) => String.fromCharCode(...codes)),
  fc.tuple(fc.string(), fc.string()).map(([before, after]) => before + SECRET + after),
  fc.tuple(fc.constantFrom("x", "é", "漢", "🜁"), fc.nat(20_000)).map(([c, n]) => c.repeat(n)),
);
const { value: anyValue } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.oneof(
      anyText,
      fc.boolean(),
      fc.integer(),
      fc.maxSafeInteger(),
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n }).map(Number),
      fc.double(),
      fc.uint8Array(),
      fc.constantFrom<unknown>(null, undefined, -0, 127, 128, 2 ** 32, -1, 10n),
    ),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(fc.string(), tie("value"), { maxKeys: 4 }),
  ),
}));
const anyAttributes = fc.dictionary(fc.string({ maxLength: 200 }), anyValue, {
  maxKeys: 8,
}) as fc.Arbitrary<Attributes>;
const anyCount = fc.oneof(fc.constant(0), fc.nat(2 ** 31 - 1));
const anyTime = fc.tuple(fc.nat(2 ** 31 - 1), fc.nat(999_999_999));
const someSchemaUrl = fc.constantFrom({}, { schemaUrl: "https://example.com/schema" });

const hexOf = (bytes: number) =>
  fc
    .uint8Array({ minLength: bytes, maxLength: bytes })
    .filter((id) => id.some((byte) => byte !== 0))
    .map((id) => Buffer.from(id).toString("hex"));
const anyContext = fc.record(
  {
    traceId: hexOf(16),
    spanId: hexOf(8),
    traceFlags: fc.nat(0xff),
    isRemote: fc.boolean(),
    traceState: fc.constantFrom(new TraceState("vendor=a,other=b"), new TraceState("")),
  },
  { requiredKeys: ["traceId", "spanId", "traceFlags"] },
);
const anyEvent = fc.record(
  { name: anyText, time: anyTime, attributes: anyAttributes, droppedAttributesCount: anyCount },
  { requiredKeys: ["name", "time"] },
);
const anyLink: fc.Arbitrary<Link> = fc.record(
  { context: anyContext, attributes: anyAttributes, droppedAttributesCount: anyCount },
  { requiredKeys: ["context"] },
);
const anyResource = fc
  .tuple(anyAttributes, someSchemaUrl)
  .map(([attributes, options]) => resourceFromAttributes(attributes, options));
const anyScope = fc
  .record(
    {
      name: fc.string(),
      version: fc.string(),
      attributes: fc.dictionary(fc.string(), fc.string()),
    },
    { requiredKeys: ["name"] },
  )
  .chain((scope) => someSchemaUrl.map((options) => ({ ...scope, ...options })));

/** Of any version: what a version does not have is not there. */
function anySpan(
  resource: fc.Arbitrary<AnyReadableSpan["resource"]>,
  scope: fc.Arbitrary<AnyReadableSpan["instrumentationScope"]>,
): fc.Arbitrary<AnyReadableSpan> {
  const fields = fc.record(
    {
      name: anyText,
      startTime: anyTime,
      endTime: anyTime,
      attributes: anyAttributes,
      status: fc.record(
        { code: fc.constantFrom(0, 1, 2), message: anyText },
        { requiredKeys: ["code"] },
      ),
      kind: fc.nat(4),
      parentSpanId: hexOf(8),
      parentSpanContext: anyContext,
      events: fc.array(anyEvent, { maxLength: 3 }),
      links: fc.array(anyLink, { maxLength: 3 }),
      droppedAttributesCount: anyCount,
      droppedEventsCount: anyCount,
      droppedLinksCount: anyCount,
      resource,
      instrumentationScope: scope,
      instrumentationLibrary: scope,
    },
    { requiredKeys: ["name", "startTime", "endTime", "attributes", "status"] },
  );
  return fc
    .tuple(fields, anyContext)
    .map(([span, context]) => ({ ...span, spanContext: () => context }) as AnyReadableSpan);
}

const anyBatch = fc
  .tuple(
    fc.array(anyResource, { minLength: 1, maxLength: 3 }),
    fc.array(anyScope, { minLength: 1, maxLength: 3 }),
  )
  .chain(([resources, scopes]) =>
    fc.array(
      fc.record({
        span: anySpan(fc.constantFrom(...resources), fc.constantFrom(...scopes)),
        added: fc.oneof(fc.constant({}), anyAttributes),
        call: fc.constant(undefined),
      }),
      { maxLength: 6 },
    ),
  );

function decoded(bytes: Uint8Array): OtlpRequest {
  const outcome = decodeOtlpProtobuf(bytes);
  if (outcome.kind !== "decoded") throw new Error(outcome.reason);
  return outcome.request;
}

function ended(span: Partial<AnyReadableSpan>, added: Attributes = {}): EndedSpan {
  return {
    span: {
      name: "work",
      spanContext: () => ({ traceId: TRACE_ID, spanId: "b7ad6b7169203301", traceFlags: 1 }),
      startTime: [0, 0],
      endTime: [0, 0],
      attributes: {},
      status: { code: 0 },
      ...span,
    },
    added,
    call: undefined,
  };
}

const encode = (...spans: EndedSpan[]) => new TraceRequestEncoder(new Secrets()).encode(spans);
const attributesSent = (attributes: object, added?: Attributes) =>
  decoded(encode(ended({ attributes: attributes as Attributes }, added))).spans[0]!.attributes;

describe("spans encoded as OTLP", () => {
  it.each(["no secrets", "a secret"])(
    "say what OpenTelemetry's own encoder says, with %s",
    (has) => {
      const secrets = new Secrets();
      if (has === "a secret") addSecret(secrets, "KEY", SECRET);
      // One for all runs: nothing of one batch is left in the next.
      const reader = new SpanReader(secrets);
      const encoder = new TraceRequestEncoder(secrets);
      fc.assert(
        fc.property(anyBatch, (batch) => {
          const expected = ProtobufTraceSerializer.serializeRequest(
            batch.map((span) => reader.read(span) as ReadableSpan),
          )!;
          expect(decoded(encoder.encode(batch))).toEqual(decoded(expected));
        }),
        { numRuns: 40 },
      );
    },
  );

  it("say the same each time, of attributes that come again and again", () => {
    fc.assert(
      fc.property(anyBatch, (batch) => {
        const encoder = new TraceRequestEncoder(new Secrets());
        const first = encoder.encode(batch);
        for (let again = 0; again < 3; again++) expect(encoder.encode(batch)).toEqual(first);
      }),
      { numRuns: 20 },
    );
  });

  it.each([LONGEST_REPEATED, LONGEST_REPEATED + 1])(
    "have an attribute of %i characters as it changes and comes again",
    (length) => {
      const texts = ["a", "a", "a", "b", "b", "a", "a"].map((text) => text.repeat(length));
      const spans = texts.map((text) => ended({ attributes: { text, same: 1 } }));
      const read = decoded(encode(...spans)).spans;
      expect(read.map(({ attributes }) => attributes.get("text"))).toEqual(texts);
      expect(read.map(({ attributes }) => attributes.get("same"))).toEqual(texts.map(() => 1));
    },
  );

  it("have no secret that came again and again before it was known as one", () => {
    const secrets = new Secrets();
    const encoder = new TraceRequestEncoder(secrets);
    const span = ended({ attributes: { shown: `key ${SECRET}` } });
    const shown = () =>
      decoded(encoder.encode([span, span, span])).spans[2]!.attributes.get("shown");
    expect(shown()).toBe(`key ${SECRET}`);
    expect(shown()).toBe(`key ${SECRET}`);
    addSecret(secrets, "KEY", SECRET);
    expect(shown()).toBe("key [secret:KEY]");
  });

  it("say what OpenTelemetry's own encoder says of spans that its SDK recorded", () => {
    const spans = recordSpans();
    expect(decoded(encode(...spans.map((span) => ({ span, added: {}, call: undefined }))))).toEqual(
      decoded(ProtobufTraceSerializer.serializeRequest(spans)!),
    );
  });

  it("have every kind of value", () => {
    const values: [value: unknown, read: unknown][] = [
      ["", ""],
      ["x".repeat(127), "x".repeat(127)],
      ["é".repeat(64), "é".repeat(64)],
      ["a\ud800b", "a\ufffdb"],
      ["\udc00 in a text that is not short", "\ufffd in a text that is not short"],
      [false, false],
      [-0, 0],
      [127, 127],
      [128, 128],
      [2 ** 32 - 1, 2 ** 32 - 1],
      [2 ** 32, 2 ** 32],
      [-1, -1],
      [-(2 ** 32), -(2 ** 32)],
      [Number.MIN_SAFE_INTEGER, Number.MIN_SAFE_INTEGER],
      [2 ** 62, 2n ** 62n],
      [-(2 ** 63), -(2n ** 63n)],
      [2 ** 63, 2 ** 63],
      [0.1, 0.1],
      [Number.NaN, Number.NaN],
      [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY],
      [new Uint8Array([0, 255]), new Uint8Array([0, 255])],
      [null, null],
      [undefined, null],
      [() => 1, null],
      [
        ["a", null, undefined, [1]],
        ["a", null, null, [1]],
      ],
      [[], []],
      [{ a: { b: [{ c: 1 }] } }, new Map([["a", new Map([["b", [new Map([["c", 1]])]]])]])],
      [{}, new Map()],
    ];
    for (const [value, read] of values) {
      expect(attributesSent({ before: 1, value, after: 2 })).toEqual(
        new Map<string, unknown>([
          ["before", 1],
          ["value", read],
          ["after", 2],
        ]),
      );
    }
  });

  it("have their own attributes rather than the added ones, each once", () => {
    const sent = attributesSent({ own: 1, both: undefined }, { both: "added", added: 2 });
    expect([...sent]).toEqual([
      ["added", 2],
      ["own", 1],
      ["both", null],
    ]);
    const bytes = Buffer.from(encode(ended({ attributes: { both: "own" } }, { both: "added" })));
    expect(bytes.includes("added")).toBe(false);
  });

  it("have their times to the nanosecond, up to the end of the 22nd century", () => {
    const endOf = (seconds: number, nanos: number) =>
      decoded(encode(ended({ endTime: [seconds, nanos] }))).spans[0]!.end;
    fc.assert(
      fc.property(fc.nat(7_258_118_399), fc.nat(999_999_999), (seconds, nanos) => {
        expect(endOf(seconds, nanos)).toEqual({
          us: seconds * 1_000_000 + Math.floor(nanos / 1_000),
          nanos: nanos % 1_000,
        });
      }),
    );
  });

  it("say where they come from once for all that come from there", () => {
    const resource = resourceFromAttributes({ "service.name": "one-and-only" });
    const scopes = [{ name: "first scope" }, { name: "second scope" }];
    const spans = Array.from({ length: 9 }, (_, index) =>
      ended({ name: `${index}`, resource, instrumentationScope: scopes[index % 2]! }),
    );
    const bytes = encode(...spans);
    const text = Buffer.from(bytes).toString("latin1");
    for (const once of ["one-and-only", "first scope", "second scope"]) {
      expect(text.split(once)).toHaveLength(2);
    }
    expect(decoded(bytes).spans.map(({ name }) => name)).toEqual([..."024681357"]);
  });

  it("may be large, and many", () => {
    const long = "漢".repeat(700_000);
    const spans = Array.from({ length: 3_000 }, (_, index) =>
      ended({
        name: `${index}`,
        attributes: { [index % 1_000 ? "short" : long]: long.slice(index % 1_000 ? -9 : 0) },
      }),
    );
    const read = decoded(encode(...spans)).spans;
    expect(read.map(({ name }) => name)).toEqual(spans.map(({ span }) => span.name));
    expect(read.map(({ attributes }) => Object.fromEntries(attributes))).toEqual(
      spans.map(({ span }) => span.attributes),
    );
  });

  it("lose nothing wherever the buffer becomes too small", () => {
    const odd = { name: "naïve", "not short, nor plain": "漢字 🜁", negative: -42, half: 0.5 };
    const context = { traceId: TRACE_ID, spanId: "00f067aa0ba902b7", traceFlags: 1 };
    const span = ended({
      attributes: odd,
      parentSpanContext: context,
      events: [{ name: "event", time: [1, 2], attributes: odd }],
      links: [{ context, attributes: odd }],
    });
    const [expected] = decoded(encode(span)).spans;
    // The last one is written first and fills the buffer's first 64 KiB, but for so many bytes.
    for (let left = 20; left < 700; left++) {
      const filler = ended({ attributes: { filler: new Uint8Array(2 ** 16 - left) as never } });
      expect(decoded(encode(span, filler)).spans[0]).toEqual(expected);
    }
  });

  it("keep their bytes when others are encoded", () => {
    const encoder = new TraceRequestEncoder(new Secrets());
    const first = encoder.encode([ended({ name: "first" })]);
    const copy = first.slice();
    encoder.encode([ended({ name: "other" }), ended({ name: "another" })]);
    expect(first).toEqual(copy);
    expect(first.buffer.byteLength).toBe(first.byteLength);
  });

  it("leave nothing behind where one cannot be read", () => {
    const encoder = new TraceRequestEncoder(new Secrets());
    const good = ended({ name: "good" });
    const unreadable = {
      get attribute(): string {
        throw new Error("no");
      },
    };
    const circular: Record<string, unknown> = {};
    circular.itself = circular;
    const bad: Partial<AnyReadableSpan>[] = [
      { attributes: unreadable },
      { attributes: circular as Attributes },
      { name: undefined as unknown as string },
      { spanContext: () => ({}) as never },
    ];
    for (const span of bad) expect(() => encoder.encode([good, ended(span), good])).toThrow();
    expect(encoder.encode([good])).toEqual(encode(good));
  });

  it("are rejected by the platform for an id that is none, and the others are not", () => {
    const bad = [
      "",
      "xyz",
      "b7ad6b716920330",
      "b7ad6b71692033011",
      "b7ad6b716920330g",
      "b7ad6b71-9203301",
      "٠".repeat(16),
    ];
    const spans = bad.map((spanId) =>
      ended({ spanContext: () => ({ traceId: TRACE_ID, spanId, traceFlags: 0 }) }),
    );
    const read = decoded(encode(...spans, ended({ name: "good", parentSpanId: "no parent" })));
    expect(read).toMatchObject({
      rejected: bad.length,
      rejectedReason: expect.stringContaining("span_id"),
    });
    expect(read.spans).toMatchObject([{ name: "good", parentSpanId: null }]);
  });

  it("may come from version 1 of OpenTelemetry's SDK, which has other names", () => {
    const span = ended({
      parentSpanId: "00f067aa0ba902b7",
      instrumentationLibrary: { name: "library", version: "1" },
    });
    expect(decoded(encode(span)).spans).toMatchObject([
      {
        parentSpanId: "00f067aa0ba902b7",
        scope: { name: "library", version: "1" },
        kind: 1,
        flags: 0x101,
      },
    ]);
  });

  it("may be none", () => {
    expect(encode()).toHaveLength(0);
  });
});
