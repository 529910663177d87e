import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeOtlpJson, scanJson } from "./decode-otlp-json.ts";
import { decodeOtlpProtobuf } from "./decode-otlp-protobuf.ts";
import type { DecodeLimits } from "./decode-outcome.ts";
import { ProtobufWriter } from "./testing/protobuf-writer.fixture.ts";

const NONE: DecodeLimits = {
  spans: Number.POSITIVE_INFINITY,
  values: Number.POSITIVE_INFINITY,
  repeatedBytes: Number.POSITIVE_INFINITY,
};
const IDS = { traceId: "ab".repeat(16), spanId: "cd".repeat(8) };
const RESOURCE = "r".repeat(1_000);

/** The same request in both encodings: spans of one attribute each, some of them without an id. */
function requests(spans: number, rejected: number) {
  const attribute = (key: string, value: string) => ({ key, value: { stringValue: value } });
  const all = [
    ...Array(spans).fill({ ...IDS, attributes: [attribute("a", "b")] }),
    ...Array(rejected).fill({ ...IDS, spanId: "" }),
  ];
  const json = JSON.stringify({
    resourceSpans: [
      { resource: { attributes: [attribute("k", RESOURCE)] }, scopeSpans: [{ spans: all }] },
    ],
  });
  const keyValue = (key: string, value: string) =>
    new ProtobufWriter().bytes(1, key).bytes(2, new ProtobufWriter().bytes(1, value));
  const scopeSpans = new ProtobufWriter();
  for (let n = 0; n < spans + rejected; n++) {
    const span = new ProtobufWriter()
      .bytes(1, Buffer.from(IDS.traceId, "hex"))
      .bytes(2, n < spans ? Buffer.from(IDS.spanId, "hex") : Buffer.alloc(0));
    scopeSpans.bytes(2, n < spans ? span.bytes(9, keyValue("a", "b")) : span);
  }
  const resourceSpans = new ProtobufWriter()
    .bytes(1, new ProtobufWriter().bytes(1, keyValue("k", RESOURCE)))
    .bytes(2, scopeSpans);
  const protobuf = new ProtobufWriter().bytes(1, resourceSpans).finish();
  return [
    ["JSON", (limits: DecodeLimits) => decodeOtlpJson(Buffer.from(json), limits).kind],
    ["protobuf", (limits: DecodeLimits) => decodeOtlpProtobuf(protobuf, limits).kind],
  ] as const;
}

describe.each(requests(7, 3))("%s", (_, decode) => {
  it("takes as many spans as the limit, kept or rejected, and not one more", () => {
    expect(decode({ ...NONE, spans: 10 })).toBe("decoded");
    expect(decode({ ...NONE, spans: 9 })).toBe("too-many-spans");
  });

  it("takes as many values as the limit, and not one more", () => {
    const limit = Array.from({ length: 200 }, (_, n) => n).find(
      (values) => decode({ ...NONE, values }) === "decoded",
    );
    // Ten spans, and seven attributes of two messages or objects each, besides what is around them.
    expect(limit).toBeGreaterThanOrEqual(24);
    expect(limit).toBeLessThan(80);
    expect(decode({ ...NONE, values: (limit as number) - 1 })).toBe("too-complex");
  });

  it("counts a resource for each of its spans", () => {
    expect(decode({ ...NONE, repeatedBytes: 12_000 })).toBe("decoded");
    expect(decode({ ...NONE, repeatedBytes: 9_000 })).toBe("too-complex");
  });
});

describe("JSON before it is parsed", () => {
  it("has as many objects and lists as JSON.parse makes of it", () => {
    fc.assert(
      fc.property(fc.json(), (json) => {
        let made = 0;
        JSON.parse(json, (_, value) => {
          if (typeof value === "object" && value !== null) made++;
          return value;
        });
        const { values } = scanJson(Buffer.from(json));
        expect(values).toBeGreaterThanOrEqual(made);
        expect(values).toBeLessThanOrEqual(made + json.split(",").length / 4);
      }),
    );
  });

  it.each([
    ["123456789012345", false],
    ["1234567890123456", true],
    ['"1234567890123456"', false],
    ['"\\\\" ,1234567890123456', true],
    ['"\\"1234567890123456"', false],
    ["[12345678,90123456]", false],
  ])("%s has long numbers: %s", (json, expected) => {
    expect(scanJson(Buffer.from(json)).hasLongNumbers).toBe(expected);
  });
});
