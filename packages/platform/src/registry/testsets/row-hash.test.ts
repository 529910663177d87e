import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inputsId } from "../../../../protocol/src/testsets/row-ids.ts";
import { sha256Hex, utf8Bytes, utf8Length } from "../../../../protocol/src/testsets/sha256.ts";

// Here, because the protocol's own tests have no Node to compare with.

const anyText = fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: "grapheme" }));

describe("sha256Hex", () => {
  it("is what Node computes, around the ends of blocks and for any characters", () => {
    for (let length = 0; length < 200; length++) {
      const text = "é".repeat(length % 3) + "x".repeat(length);
      expect(sha256Hex(text)).toBe(createHash("sha256").update(text).digest("hex"));
    }
    fc.assert(
      fc.property(anyText, (text) => {
        expect(sha256Hex(text)).toBe(createHash("sha256").update(text).digest("hex"));
        expect(Buffer.from(utf8Bytes(text)).equals(Buffer.from(text))).toBe(true);
        expect(utf8Length(text)).toBe(Buffer.byteLength(text));
      }),
    );
  });
});

describe("inputsId", () => {
  it("is what other languages compute from canonical JSON", () => {
    const canonical = '{"n":1.5,"text":"é"}';
    const hash = createHash("sha256").update(canonical).digest("hex").slice(0, 16);
    expect(inputsId({ text: "é", n: 1.5 })).toBe(hash);
  });
});
