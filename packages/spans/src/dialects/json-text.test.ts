import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { base64, embedded } from "./json-text.ts";

const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;

describe("text that holds JSON", () => {
  it.each(['{"a":1}', "[1, 2]", '"text"', "-1.5e3", "true", "null", ' \n{"a":1}', "{}"])(
    "%j is embedded",
    (text) => {
      expect(JSON.parse(embedded(text, "json"))).toEqual(JSON.parse(text));
    },
  );

  it.each(["", "plain", "tru", "{a:1}", "1 2", "NaN", "undefined", "\u00a0{}"])(
    "%j is a string, for it is no JSON",
    (text) => {
      expect(JSON.parse(embedded(text, "json"))).toBe(text);
    },
  );

  it.each(["1", "true", "null", '"text"', "[unclosed"])(
    "%j is a string where it may be",
    (text) => {
      expect(JSON.parse(embedded(text, "sniff"))).toBe(text);
    },
  );

  it("is embedded up to 500 levels deep", () => {
    expect(embedded(nested(500), "json")).toBe(nested(500));
    expect(embedded(nested(501), "json")).toBe(`"${nested(501)}"`);
    const mixed = `{"a":`.repeat(300) + nested(300) + "}".repeat(300);
    expect(JSON.parse(embedded(mixed, "json"))).toBe(mixed);
  });

  it("may be a list of such texts", () => {
    expect(embedded(["[1]", "plain", 2], "json-items")).toBe('[[1],"plain",2]');
  });
});

/** A few bytes, or about as many as are written at a time (3,072), once or twice. */
const anyLength = fc.oneof(
  fc.nat(100),
  fc.integer({ min: 3_069, max: 3_075 }),
  fc.integer({ min: 6_141, max: 6_147 }),
);
const anyBytes = anyLength.chain((length) =>
  fc.uint8Array({ minLength: length, maxLength: length, size: "max" }),
);

it("is what Node makes of the same bytes", () => {
  fc.assert(
    fc.property(anyBytes, (bytes) => {
      expect(base64(bytes)).toBe(Buffer.from(bytes).toString("base64"));
    }),
  );
});

it("takes bytes by the megabyte", () => {
  const bytes = Uint8Array.from({ length: 3_000_001 }, (_, index) => index * 31);
  expect(base64(bytes)).toBe(Buffer.from(bytes).toString("base64"));
});
