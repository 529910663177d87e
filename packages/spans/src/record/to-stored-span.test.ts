import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AttributeValue, OtlpSpan } from "../otlp-span.ts";
import { shippedPrices } from "../pricing/shipped-prices.ts";
import { AFTER_LISTED_TOTAL } from "../span-tree/record-text.ts";
import { leafRecord, mapped, NOON, otlpSpan } from "./otlp-span.fixture.ts";
import { createSpanMapper } from "./to-stored-span.ts";

describe("times", () => {
  it("are written to the microsecond and to the nanosecond", () => {
    const { record, stored } = mapped(
      {},
      { start: { us: NOON + 7, nanos: 89 }, end: { us: NOON + 1_234_567, nanos: 90 } },
    );
    expect(record.created_at).toBe("2026-11-15T12:00:00.000007Z");
    expect(record.metadata.start_time).toBe("2026-11-15T12:00:00.000007089Z");
    expect(record.metadata.end_time).toBe("2026-11-15T12:00:01.234567090Z");
    expect(record.metadata.latency).toBe(1234.560001);
    expect(stored).toMatchObject({ start: NOON + 7, startNanos: 89, latency: 1234.560001 });
  });

  it("of a span that has not ended are null", () => {
    const { record } = mapped({}, { end: { us: 0, nanos: 0 } });
    expect(record.metadata.end_time).toBeNull();
    expect(record.metadata.latency).toBeNull();
  });

  it("that run backwards are kept, without a latency", () => {
    const { record } = mapped({}, { end: { us: NOON - 1, nanos: 0 } });
    expect(record.metadata.end_time).toBe("2026-11-15T11:59:59.999999000Z");
    expect(record.metadata.latency).toBeNull();
  });

  it("may lie at both ends of what OTLP can say", () => {
    const last = { us: Number(2n ** 64n / 1000n), nanos: 999 };
    const { record } = mapped({}, { start: { us: 0, nanos: 0 }, end: last });
    expect(record.created_at).toBe("1970-01-01T00:00:00.000000Z");
    expect(record.metadata.end_time).toMatch(/^2554-07-21T/);
  });

  it("after 2255 stand at its end where spans are ordered, and in the record as they are", () => {
    const last = { us: Number(2n ** 64n / 1000n), nanos: 999 };
    const { stored, record } = mapped({}, { start: last });
    expect(stored.start).toBe(Number.MAX_SAFE_INTEGER);
    expect(record.created_at).toMatch(/^2554-07-21T/);
  });
});

describe("what the span says beside its attributes", () => {
  it("is left out where it is the default", () => {
    const { record } = mapped({}, { kind: 0 });
    expect(record.metadata).toMatchObject({
      events: [],
      links: [],
      resource: {},
      scope: null,
      otel: {},
      status_message: null,
    });
    expect(record.status).toBe("UNSET");
    expect(record.parent_span_id).toBeNull();
    expect(record.project_id).toBeNull();
  });

  it("is shown where it is not", () => {
    const attributes = new Map<string, AttributeValue>([["k", 'v"\n']]);
    const dropped = { droppedAttributesCount: 2 };
    const { record } = mapped(
      {},
      {
        parentSpanId: "00f067aa0ba902b7",
        name: 'quoted "name"',
        kind: 3,
        traceState: "a=b",
        flags: 257,
        statusCode: 2,
        statusMessage: "boom",
        droppedAttributesCount: 1,
        droppedEventsCount: 2,
        droppedLinksCount: 3,
        events: [{ name: "e", time: { us: NOON, nanos: 1 }, attributes, ...dropped }],
        links: [
          { traceId: "aa", spanId: "bb", traceState: "c=d", flags: 1, attributes, ...dropped },
        ],
        resource: { attributes, schemaUrl: "https://resource", droppedAttributesCount: 0 },
        scope: { name: "s", version: "1", attributes, schemaUrl: "https://scope", ...dropped },
      },
    );
    expect(record).toMatchObject({
      parent_span_id: "00f067aa0ba902b7",
      name: 'quoted "name"',
      status: "ERROR",
    });
    expect(record.metadata).toMatchObject({
      status_message: "boom",
      events: [
        {
          name: "e",
          time: "2026-11-15T12:00:00.000000001Z",
          attributes: { k: 'v"\n' },
          dropped_attributes_count: 2,
        },
      ],
      links: [
        {
          trace_id: "aa",
          span_id: "bb",
          attributes: { k: 'v"\n' },
          trace_state: "c=d",
          flags: 1,
          dropped_attributes_count: 2,
        },
      ],
      resource: { k: 'v"\n' },
      scope: {
        name: "s",
        version: "1",
        attributes: { k: 'v"\n' },
        schema_url: "https://scope",
        dropped_attributes_count: 2,
      },
      otel: {
        kind: "CLIENT",
        trace_state: "a=b",
        flags: 257,
        resource_schema_url: "https://resource",
        dropped_attributes_count: 1,
        dropped_events_count: 2,
        dropped_links_count: 3,
      },
    });
  });
});

describe("a mapper", () => {
  it("names its project", () => {
    const map = createSpanMapper({ prices: shippedPrices(), projectId: 'p"1' });
    expect(leafRecord(map(otlpSpan())).project_id).toBe('p"1');
  });

  it("names the build that has sent a span, whatever the span says of it", () => {
    const map = createSpanMapper({ prices: shippedPrices(), projectId: null });
    expect(leafRecord(map(otlpSpan({ "ag.build": 3 }), { build: 7 })).metadata).toMatchObject({
      build: 7,
      attributes: { "ag.build": 3 },
    });
    expect(leafRecord(map(otlpSpan())).metadata).not.toHaveProperty("build");
  });

  it("lets nothing of one span into the next", () => {
    const mapper = createSpanMapper({ prices: shippedPrices(), projectId: null });
    const map = (span: OtlpSpan) => mapper(span);
    const spans = [
      otlpSpan({ "ag.content.inputs": "1", "ag.span.kind": "TOOL", "ag.config": "{}" }),
      otlpSpan({ "llm.input_messages.0.message.role": "user", "gen_ai.request.top_k": 1 }),
      otlpSpan({ "langfuse.observation.usage_details": '{"input":1}', "user.id": "u" }),
      otlpSpan({ "gen_ai.operation.name": "chat", "llm.invocation_parameters": "{}" }),
      otlpSpan(),
    ];
    const fresh = spans.map((span) =>
      createSpanMapper({ prices: shippedPrices(), projectId: null })(span),
    );
    expect(spans.map(map)).toEqual(fresh);
    expect([...spans].reverse().map(map)).toEqual([...fresh].reverse());
  });

  it("tells resources and scopes apart by their identity", () => {
    const map = createSpanMapper({ prices: shippedPrices(), projectId: null });
    const from = (service: string): OtlpSpan =>
      otlpSpan(
        {},
        {
          resource: {
            attributes: new Map([["service.name", service]]),
            schemaUrl: "",
            droppedAttributesCount: 0,
          },
        },
      );
    const [a, b] = [from("a"), from("b")];
    expect([a, b, a].map((span) => map(span).application)).toEqual(["a", "b", "a"]);
  });

  it("tells that something was redacted, and says nothing of other spans", () => {
    const { metadata } = mapped({ "ag.redacted": true, other: 1 }).record;
    expect([metadata.redacted, metadata.attributes]).toEqual([true, { other: 1 }]);
    expect(mapped({ other: 1 }).record.metadata).not.toHaveProperty("redacted");
  });

  it("tells that a call was cancelled, and says nothing of other calls", () => {
    const { metadata } = mapped({ "ag.cancelled": true, other: 1 }).record;
    expect([metadata.cancelled, metadata.attributes]).toEqual([true, { other: 1 }]);
    expect(mapped({ "ag.route": "/a" }).record.metadata).not.toHaveProperty("cancelled");
    // Any other value is an attribute like any other.
    for (const value of [false, "true", 1]) {
      const { metadata: other } = mapped({ "ag.cancelled": value }).record;
      expect(other).not.toHaveProperty("cancelled");
      expect(other.attributes).toEqual({ "ag.cancelled": value });
    }
  });

  it("tells the route and the revision that a span is found by", () => {
    const { stored, record } = mapped({ "ag.route": "/summarize", "ag.variant.revision": 3 });
    expect([stored.route, stored.revision]).toEqual(["/summarize", 3]);
    expect(record.metadata.attributes).toEqual({ "ag.route": "/summarize" });
    for (const odd of ["", 7, null]) {
      expect(mapped({ "ag.route": odd, "ag.variant.revision": 1e300 }).stored).toMatchObject({
        route: null,
        revision: null,
      });
    }
  });

  it("ends a record so that a list can close it, too", () => {
    const { stored } = mapped({});
    const listed = `${stored.openRecord}{"usage":null,"cost":null}${AFTER_LISTED_TOTAL}`;
    expect(JSON.parse(listed)).not.toHaveProperty("children");
  });
});

describe("content", () => {
  it("may be deep or long, and stays one line", () => {
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    const { record, stored } = mapped({
      "ag.content.inputs": deep,
      "ag.content.outputs": '{\r\n  "text": "a\\nb"\n}\n',
    });
    expect(record.content.inputs).toBe(deep);
    expect(record.content.outputs).toEqual({ text: "a\nb" });
    expect(stored.openRecord).not.toMatch(/[\r\n]/);

    const wide = `[${"[1],".repeat(50_000)}2]`;
    expect(mapped({ "ag.content.inputs": wide }).record.content.inputs).toHaveLength(50_001);
  });

  it("shows what JSON has no form for as text", () => {
    const { record, stored } = mapped({
      bytes: new Uint8Array([1, 2, 255]),
      big: 12345678901234567890n,
      numbers: [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -0, 1e21],
      nothing: null,
      nested: new Map<string, AttributeValue>([["__proto__", [true]]]),
    });
    expect(record.metadata.attributes).toMatchObject({
      bytes: "AQL/",
      numbers: ["NaN", "Infinity", "-Infinity", 0, 1e21],
      nothing: null,
    });
    expect(stored.openRecord).toContain('"big":12345678901234567890');
    expect(stored.openRecord).toContain('"nested":{"__proto__":[true]}');
  });

  it("knows `__proto__` as a name like any other", () => {
    const span = otlpSpan({}, { attributes: new Map([["__proto__", "plain"]]) });
    const map = createSpanMapper({ prices: shippedPrices(), projectId: null });
    const { attributes } = leafRecord(map(span)).metadata;
    expect(Object.entries(attributes)).toEqual([["__proto__", "plain"]]);
  });
});

// Names from every dialect, so that they meet each other; and any others.
const NAMES = [
  "ag.span.kind",
  "ag.config",
  "ag.content.inputs",
  "ag.content.internals",
  "ag.variant.revision",
  "ag.usage.input_tokens",
  "ag.cost",
  "user.id",
  "openinference.span.kind",
  "input.value",
  "input.mime_type",
  "output.value",
  "llm.model_name",
  "llm.invocation_parameters",
  "llm.input_messages.0.message.role",
  "llm.input_messages.0.message.content",
  "llm.input_messages.1.message.tool_calls.0.tool_call.id",
  "llm.input_messages.0.message",
  "llm.output_messages.3.message.content",
  "retrieval.documents.0.document.metadata",
  "llm.token_count.prompt",
  "gen_ai.operation.name",
  "gen_ai.request.model",
  "gen_ai.response.model",
  "gen_ai.request.temperature",
  "gen_ai.usage.input_tokens",
  "gen_ai.usage.output_tokens",
  "gen_ai.usage.cache_read.input_tokens",
  "gen_ai.input.messages",
  "gen_ai.output.messages",
  "gen_ai.tool.definitions",
  "gen_ai.prompt",
  "gen_ai.prompt.0.role",
  "gen_ai.completion.0.content",
  "traceloop.span.kind",
  "traceloop.entity.input",
  "langfuse.observation.type",
  "langfuse.observation.input",
  "langfuse.observation.usage_details",
  "langfuse.observation.cost_details",
  "langfuse.observation.model.parameters",
  "ai.operationId",
  "ai.prompt.messages",
  "ai.prompt.tools",
  "ai.response.text",
  "ai.response.toolCalls",
  "ai.values",
  "ai.settings.temperature",
  "ai.usage.tokens",
  "__proto__",
];

const scalar: fc.Arbitrary<AttributeValue> = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom("LLM", "chat", "workflow", "generation", "ai.embed", "gpt-5-mini", "10", "0.50"),
  fc.json(),
  fc.constantFrom('{"input":5,"output":7}', '{"total":0.5}', '{"model":"m","top_p":1}'),
  fc.double(),
  fc.nat(),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.boolean(),
  fc.constant(null),
  fc.uint8Array({ maxLength: 8 }),
);
const { value: anyValue } = fc.letrec<{ value: AttributeValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    scalar,
    fc.array(tie("value"), { maxLength: 4 }),
    fc
      .array(fc.tuple(fc.string(), tie("value")), { maxLength: 3 })
      .map((entries) => new Map(entries)),
  ),
}));
const anyAttributes = fc
  .array(fc.tuple(fc.oneof(fc.constantFrom(...NAMES), fc.string()), anyValue), { maxLength: 14 })
  .map((entries) => new Map(entries));

describe("whatever a client sends", () => {
  const map = createSpanMapper({ prices: shippedPrices(), projectId: "p" });

  it("gives a record that keeps to the contract, with every value in it", () => {
    fc.assert(
      fc.property(anyAttributes, (attributes) => {
        const record = leafRecord(map(otlpSpan({}, { attributes })));
        const elsewhere = new Set<string>();
        collect({ ...record, metadata: { ...record.metadata, attributes: {} } }, elsewhere);
        for (const [name, value] of attributes) {
          const kept = Object.getOwnPropertyDescriptor(record.metadata.attributes, name);
          const isFound =
            kept === undefined
              ? isAmong(value, elsewhere)
              : JSON.stringify(kept.value) === JSON.stringify(plain(value));
          if (!isFound) throw new Error(`${name} is lost: ${JSON.stringify(plain(value))}`);
        }
      }),
      { numRuns: 1000 },
    );
  });
});

/** Every value inside a value, itself included, as JSON. */
function collect(value: unknown, into: Set<string>): void {
  into.add(JSON.stringify(value));
  if (typeof value === "object" && value !== null) {
    for (const inner of Object.values(value)) collect(inner, into);
  }
}

/** Whether a value is found as it is, as the JSON that its text holds, or (a list) item by item. */
function isAmong(value: AttributeValue, found: ReadonlySet<string>): boolean {
  const itself = plain(value);
  if (found.has(JSON.stringify(itself))) return true;
  if (Array.isArray(value)) return value.every((item: AttributeValue) => isAmong(item, found));
  // The kind's name, in lower case; a number, as text; figures, each by itself.
  if (typeof itself === "string" && found.has(JSON.stringify(itself.toUpperCase()))) return true;
  const json = typeof itself === "string" ? parsed(itself) : itself;
  if (json === undefined) return false;
  if (found.has(JSON.stringify(json))) return true;
  return (
    typeof json === "object" &&
    json !== null &&
    Object.values(json).every((figure) => found.has(JSON.stringify(figure)))
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** An attribute's value as JSON.parse would give it back. */
function plain(value: AttributeValue): unknown {
  if (typeof value === "bigint") return Number(value);
  if (typeof value === "number") return Number.isFinite(value) ? value : `${value}`;
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (value instanceof Map) {
    // The last of equal keys would win in an object; `__proto__` must be defined to be one.
    const object = {};
    for (const [key, inner] of value) {
      Object.defineProperty(object, key, { value: plain(inner), enumerable: true });
    }
    return object;
  }
  if (Array.isArray(value)) return value.map(plain);
  return value;
}
