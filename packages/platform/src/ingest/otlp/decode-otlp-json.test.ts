import { Buffer } from "node:buffer";
import type { AttributeValue, OtlpSpan } from "@agate/spans";
import { describe, expect, it } from "vitest";
import { decodeOtlpJson } from "./decode-otlp-json.ts";
import type { OtlpRequest } from "./decode-outcome.ts";

const IDS = { traceId: "ab".repeat(16), spanId: "cd".repeat(8) };

function bodyOf(...spans: unknown[]): Uint8Array {
  return Buffer.from(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] }));
}

function decode(body: Uint8Array | string): OtlpRequest {
  const outcome = decodeOtlpJson(Buffer.from(body));
  if (outcome.kind !== "decoded") throw new Error(outcome.reason);
  return outcome.request;
}

function decodeSpan(fields: object): OtlpSpan {
  const request = decode(bodyOf({ ...IDS, ...fields }));
  expect(request.rejected).toBe(0);
  return request.spans[0] as OtlpSpan;
}

function decodeValue(any: unknown): AttributeValue | undefined {
  return decodeSpan({ attributes: [{ key: "a", value: any }] }).attributes.get("a");
}

function refusal(body: Uint8Array | string): string {
  const outcome = decodeOtlpJson(Buffer.from(body));
  if (outcome.kind !== "undecodable") throw new Error("was decoded");
  expect(outcome.reason.length).toBeLessThan(300);
  return outcome.reason;
}

describe("requests", () => {
  it.each(["{}", '{"resourceSpans":[]}', '{"resourceSpans":null}', '\ufeff {"unknown":[1]} '])(
    "takes %s as a request without spans",
    (body) => {
      expect(decode(body)).toEqual({ spans: [], rejected: 0, rejectedReason: "" });
    },
  );

  it.each<[body: string, reason: RegExp]>([
    ["", /^not JSON: /],
    ["{", /^not JSON: /],
    ["\u0000", /^not JSON: /],
    [`{"${"x".repeat(100_000)}":}`, /^not JSON: /],
    ["[]", /^expected an object$/],
    ["null", /^expected an object$/],
    ["7", /^expected an object$/],
    [`${"[".repeat(1_000_000)}`, /^not JSON: /],
    ['{"resourceSpans":{}}', /^resourceSpans: expected a list$/],
    ['{"resourceSpans":[[]]}', /^resourceSpans\[0\]: expected an object$/],
  ])("refuses %.40s", (body, reason) => {
    expect(refusal(body)).toMatch(reason);
  });

  it("ignores unknown fields, however deep", () => {
    const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
    const span = `{"traceId":"${IDS.traceId}","spanId":"${IDS.spanId}","x":${deep},"__proto__":{"name":"no"}}`;
    const { spans } = decode(`{"resourceSpans":[{"scopeSpans":[{"spans":[${span}]}]}]}`);
    expect(spans).toMatchObject([{ ...IDS, name: "" }]);
  });

  it("replaces invalid UTF-8 and unpaired surrogates", () => {
    const body = Buffer.from(bodyOf({ ...IDS, name: "a?b", traceState: "c\ud800d" }));
    body[body.indexOf("?")] = 0xff;
    expect(decode(body).spans).toMatchObject([{ name: "a\ufffdb", traceState: "c\ufffdd" }]);
  });

  it("reads spans of exporters that still have instrumentation libraries", () => {
    const library = { instrumentationLibrary: { name: "old" }, spans: [IDS] };
    const body = JSON.stringify({ resourceSpans: [{ instrumentationLibrarySpans: [library] }] });
    expect(decode(body).spans).toMatchObject([{ scope: { name: "old" } }]);
  });

  it("shares resource and scope, also when they come after their spans", () => {
    const scopeSpans = [
      { spans: [IDS, { ...IDS, name: "second" }], scope: { name: "s" }, schemaUrl: "su" },
    ];
    const resource = { attributes: [{ key: "k", value: { intValue: "1" } }] };
    const body = JSON.stringify({ resourceSpans: [{ scopeSpans, resource, schemaUrl: "ru" }] });
    const [first, second] = decode(body).spans;
    expect(first?.resource).toMatchObject({ attributes: new Map([["k", 1]]), schemaUrl: "ru" });
    expect(first?.scope).toMatchObject({ name: "s", schemaUrl: "su" });
    expect(second?.resource).toBe(first?.resource);
    expect(second?.scope).toBe(first?.scope);
  });
});

describe("ids", () => {
  it("takes hex of any case and the base64 of old exporters", () => {
    expect(decodeSpan({ traceId: IDS.traceId.toUpperCase() }).traceId).toBe(IDS.traceId);
    const base64 = (hex: string) => Buffer.from(hex, "hex").toString("base64");
    expect(
      decodeSpan({
        traceId: base64(IDS.traceId),
        spanId: base64(IDS.spanId),
        parentSpanId: base64("0123456789abcdef"),
      }),
    ).toMatchObject({ ...IDS, parentSpanId: "0123456789abcdef" });
  });

  it.each(["", "0000000000000000", null])("takes %j for no parent", (parentSpanId) => {
    expect(decodeSpan({ parentSpanId }).parentSpanId).toBeNull();
  });

  it.each<[fields: object, reason: string]>([
    [{ traceId: "0".repeat(32) }, "traceId must be 32 hex digits and not all zero"],
    [{ traceId: "g".repeat(32) }, "traceId must be 32 hex digits and not all zero"],
    [{ traceId: undefined }, "traceId must be 32 hex digits and not all zero"],
    [{ traceId: IDS.spanId }, "traceId must be 32 hex digits and not all zero"],
    [{ spanId: "0".repeat(16) }, "spanId must be 16 hex digits and not all zero"],
    [{ spanId: "not an id at all" }, "spanId must be 16 hex digits and not all zero"],
    [{ parentSpanId: "abc" }, "parentSpanId must be 16 hex digits or empty"],
    [{ parentSpanId: "0123456789abcdeg" }, "parentSpanId must be 16 hex digits or empty"],
  ])("rejects a span with %j and keeps the rest", (fields, reason) => {
    const request = decode(bodyOf({ ...IDS, ...fields }, { ...IDS, name: "kept" }));
    expect(request.spans).toMatchObject([{ name: "kept" }]);
    expect(request.rejected).toBe(1);
    expect(request.rejectedReason).toBe(`1 span rejected: ${reason}`);
  });

  it("keeps the ids of a link as they are", () => {
    const links = [{ traceId: "ABC", spanId: "no hex" }, {}];
    expect(decodeSpan({ links }).links).toMatchObject([
      { traceId: "abc", spanId: "no hex" },
      { traceId: "", spanId: "" },
    ]);
  });
});

describe("fields", () => {
  it.each([
    ["1790000000123456789", { us: 1_790_000_000_123_456, nanos: 789 }],
    ["7", { us: 0, nanos: 7 }],
    ["00000000001000000001", { us: 1_000_000, nanos: 1 }],
    ["18446744073709551615", { us: Number(2n ** 64n / 1000n), nanos: 615 }],
    [1_000_001, { us: 1000, nanos: 1 }],
    // A double, which JSON.stringify writes with as many digits as it takes to tell it from others.
    [1_790_000_000_123_456_800, { us: 1_790_000_000_123_456, nanos: 800 }],
  ])("takes the time %j", (startTimeUnixNano, start) => {
    expect(decodeSpan({ startTimeUnixNano }).start).toEqual(start);
  });

  it("keeps every digit of 64-bit numbers without quotes, and of those in texts", () => {
    const text = "id 1790000000123456789";
    const { spans } = decode(`{"resourceSpans":[{"scopeSpans":[{"spans":[{
      "traceId":"${IDS.traceId}","spanId":"${IDS.spanId}","name":"${text}",
      "startTimeUnixNano":1790000000123456789,"endTimeUnixNano":18446744073709551615,
      "events":[{"timeUnixNano":1790000000123456001}],
      "attributes":[
        {"key":"largest","value":{"intValue":9223372036854775807}},
        {"key":"least","value":{"intValue":-9223372036854775808}},
        {"key":"beyond","value":{"intValue":9223372036854775808}},
        {"key":"exact","value":{"intValue":9007199254740991}},
        {"key":"float","value":{"doubleValue":12345678901234567}},
        {"key":"exponent","value":{"intValue":1e300}},
        {"key":"list","value":{"arrayValue":{"values":[{"intValue":9007199254740993}]}}}
      ]}]}]}]}`);
    const [span] = spans as [OtlpSpan];
    expect(span.name).toBe(text);
    expect(span.start).toEqual({ us: 1_790_000_000_123_456, nanos: 789 });
    expect(span.end).toEqual({ us: Number(2n ** 64n / 1000n), nanos: 615 });
    expect(span.events[0]?.time).toEqual({ us: 1_790_000_000_123_456, nanos: 1 });
    expect(Object.fromEntries(span.attributes)).toEqual({
      largest: 2n ** 63n - 1n,
      least: -(2n ** 63n),
      beyond: 2 ** 63,
      exact: Number.MAX_SAFE_INTEGER,
      float: 12345678901234568,
      exponent: 1e300,
      list: [2n ** 53n + 1n],
    });
  });

  it.each(["-1790000000123456789", "18446744073709551616"])("refuses the time %s", (digits) => {
    const body = `{"resourceSpans":[{"scopeSpans":[{"spans":[{"startTimeUnixNano":${digits}}]}]}]}`;
    expect(refusal(body)).toMatch(/startTimeUnixNano: expected nanoseconds/);
  });

  it("refuses what is nested too deep beside a long number", () => {
    const deep = `${"[".repeat(200_000)}1790000000123456789${"]".repeat(200_000)}`;
    expect(refusal(`{"unknown":${deep}}`)).toBe("nested too deep");
  });

  it.each([
    ["SPAN_KIND_CONSUMER", 5],
    ["SPAN_KIND_OF_THE_FUTURE", 0],
    [3, 3],
    [6, 0],
    [-1, 0],
  ])("takes the kind %j for %d", (kind, expected) => {
    expect(decodeSpan({ kind }).kind).toBe(expected);
  });

  it.each([
    ["STATUS_CODE_ERROR", 2],
    ["STATUS_CODE_OF_THE_FUTURE", 0],
    [1, 1],
    [3, 0],
  ])("takes the status code %j for %d", (code, expected) => {
    const span = decodeSpan({ status: { code, message: "why" } });
    expect([span.statusCode, span.statusMessage]).toEqual([expected, "why"]);
  });

  it("takes null for a field that is not there", () => {
    const fields = ["name", "kind", "startTimeUnixNano", "attributes", "events", "links", "status"];
    const span = decodeSpan(Object.fromEntries(fields.map((field) => [field, null])));
    expect(span).toEqual(decodeSpan({}));
  });

  it.each<[fields: object, reason: string | RegExp]>([
    [{ traceId: 7 }, "traceId: expected a string"],
    [{ name: {} }, "name: expected a string"],
    [{ kind: 1.5 }, "kind: expected a SpanKind"],
    [{ kind: [] }, "kind: expected a SpanKind"],
    [{ startTimeUnixNano: "-1" }, /startTimeUnixNano: expected nanoseconds/],
    [{ startTimeUnixNano: "1e9" }, /startTimeUnixNano: expected nanoseconds/],
    [{ startTimeUnixNano: "" }, /startTimeUnixNano: expected nanoseconds/],
    [{ startTimeUnixNano: "18446744073709551616" }, /startTimeUnixNano: expected nanoseconds/],
    [{ endTimeUnixNano: 1.5 }, /endTimeUnixNano: expected nanoseconds/],
    [{ endTimeUnixNano: 1e20 }, /endTimeUnixNano: expected nanoseconds/],
    [{ end_time_unix_nano: -1 }, /end_time_unix_nano: expected nanoseconds/],
    [{ endTimeUnixNano: true }, /endTimeUnixNano: expected nanoseconds/],
    [{ flags: 2 ** 32 }, "flags: expected an unsigned 32-bit integer"],
    [{ droppedLinksCount: "x" }, "droppedLinksCount: expected an unsigned 32-bit integer"],
    [{ status: "ERROR" }, "status: expected an object"],
    [{ status: { code: 1.5 } }, "status.code: expected a StatusCode"],
    [{ status: { message: 1 } }, "status.message: expected a string"],
    [{ events: {} }, "events: expected a list"],
    [{ events: [{}, 1] }, "events[1]: expected an object"],
    [{ links: [{ spanId: 1 }] }, "links[0].spanId: expected a string"],
    [{ attributes: { a: 1 } }, "attributes: expected a list"],
    [{ attributes: [{ key: 1 }] }, "attributes[0].key: expected a string"],
    [
      { attributes: [{ value: { arrayValue: { values: [{}, { boolValue: 1 }] } } }] },
      "attributes[0].value.arrayValue.values[1].boolValue: expected true or false",
    ],
  ])("refuses %j and says where", (fields, reason) => {
    const at = "resourceSpans[0].scopeSpans[0].spans[1].";
    // Lists and objects before the fault, in its own span and in the one before, leave no trace.
    const values = [{ intValue: 1 }, { kvlistValue: { values: [{ key: "k" }] } }];
    const before = {
      ...IDS,
      attributes: [{ key: "a", value: { arrayValue: { values } } }],
      events: [{ name: "e" }],
      links: [{}],
      status: { code: 1 },
    };
    const said = refusal(bodyOf(before, { ...before, ...fields }));
    expect(said.slice(0, at.length)).toBe(at);
    if (typeof reason === "string") expect(said.slice(at.length)).toBe(reason);
    else expect(said).toMatch(reason);
  });
});

describe("values", () => {
  it.each<[any: unknown, value: unknown]>([
    [{ intValue: "-9223372036854775808" }, -9_223_372_036_854_775_808n],
    [{ intValue: "9007199254740991" }, 9_007_199_254_740_991],
    [{ intValue: "9007199254740993" }, 9_007_199_254_740_993n],
    [{ intValue: 12 }, 12],
    [{ intValue: 2 ** 60 }, 1_152_921_504_606_847_000n],
    [{ int_value: 1e300 }, 1e300],
    [{ doubleValue: 1 }, 1],
    [{ doubleValue: "-1.5e3" }, -1500],
    [{ doubleValue: "NaN" }, Number.NaN],
    [{ doubleValue: "-Infinity" }, -Infinity],
    [{ doubleValue: null }, null],
    [{ bytesValue: "AP8=" }, Uint8Array.of(0, 255)],
    [{ bytesValue: "-_8" }, Uint8Array.of(251, 255)],
    [{ bytesValue: "" }, new Uint8Array()],
    [{ boolValue: false }, false],
    [{ stringValue: "" }, ""],
    [{ string_value: "snake" }, "snake"],
    [{ stringValue: "first", boolValue: true }, true],
    [{ arrayValue: {} }, []],
    [{ arrayValue: { values: [{ stringValue: "x" }, {}, null] } }, ["x", null, null]],
    [{ kvlistValue: {} }, new Map()],
    [{ kvlistValue: { values: [{ key: "k", value: { intValue: 1 } }] } }, new Map([["k", 1]])],
    [{ valueOfTheFuture: 1 }, null],
    [{}, null],
    [null, null],
  ])("reads %j", (any, value) => {
    expect(decodeValue(any)).toEqual(value);
  });

  it.each([
    { intValue: "1.5" },
    { intValue: 1.5 },
    { intValue: "9223372036854775808" },
    { intValue: "9".repeat(1_000_000) },
    { intValue: true },
    { doubleValue: "1.5x" },
    { doubleValue: "" },
    { bytesValue: "%%%" },
    { bytesValue: [1] },
    { boolValue: "true" },
    { stringValue: 1 },
    { arrayValue: [] },
    { arrayValue: { values: {} } },
    { kvlistValue: { values: [null] } },
    [],
    "text",
  ])("refuses %.60j", (any) => {
    const said = refusal(bodyOf({ ...IDS, attributes: [{ key: "a", value: any }] }));
    expect(said).toMatch(
      /^resourceSpans\[0\]\.scopeSpans\[0\]\.spans\[0\]\.attributes\[0\]\.value/,
    );
  });

  it("has no negative zero among integers", () => {
    const attributes = [{ key: "a", value: { intValue: "@" } }];
    const body = Buffer.from(bodyOf({ ...IDS, flags: "@", attributes })).toString();
    const [span] = decode(body.replaceAll('"@"', "-0")).spans;
    expect(span?.attributes.get("a")).toBe(0);
    expect(span?.flags).toBe(0);
  });

  it("takes the names of Object.prototype as data", () => {
    const names = ["__proto__", "constructor", "toString", "__proto__"];
    const pair = (key: string, i: number) => `{"key":"${key}","value":{"intValue":${i}}}`;
    const pairs = names.map(pair).join();
    const any = `{"__proto__":{"stringValue":"no"},"kvlistValue":{"values":[${pairs}]}}`;
    const span = `{"traceId":"${IDS.traceId}","spanId":"${IDS.spanId}","attributes":[${pairs},{"key":"m","value":${any}}]}`;
    const { spans } = decode(`{"resourceSpans":[{"scopeSpans":[{"spans":[${span}]}]}]}`);
    const expected = new Map<string, unknown>([
      ["__proto__", 3],
      ["constructor", 1],
      ["toString", 2],
    ]);
    expect(spans[0]?.attributes).toEqual(new Map(expected).set("m", expected));
  });

  it("reads values 64 deep and refuses deeper ones", () => {
    const nested = (depth: number) => {
      const open = '{"arrayValue":{"values":['.repeat(depth - 1);
      return `${open}{"stringValue":"core"}${"]}}".repeat(depth - 1)}`;
    };
    const nestedMaps = (depth: number) => {
      const open = '{"kvlistValue":{"values":[{"value":'.repeat(depth - 1);
      return `${open}{}${"}]}}".repeat(depth - 1)}`;
    };
    const body = (any: string) =>
      Buffer.from(bodyOf({ ...IDS, attributes: [{ key: "a", value: "@" }] }))
        .toString()
        .replace('"@"', any);
    let value = decode(body(nested(64))).spans[0]?.attributes.get("a");
    for (let i = 1; i < 64; i += 1) value = (value as readonly string[])[0];
    expect(value).toBe("core");
    expect(refusal(body(nested(65)))).toMatch(/: expected values nested at most 64 deep$/);
    expect(decode(body(nestedMaps(64))).spans).toHaveLength(1);
    expect(refusal(body(nestedMaps(65)))).toMatch(/: expected values nested at most 64 deep$/);
    expect(refusal(body(nested(100_000)))).toMatch(/: expected values nested at most 64 deep$/);
  });
});
