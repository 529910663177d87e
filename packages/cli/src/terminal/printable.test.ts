import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { printableJson, printableLine, printableText } from "./printable.ts";

/** Everything that a terminal obeys, and what hides the order of letters. */
const DANGEROUS =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it is about.
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;

/** Text in which control characters are likely. */
const hostile = fc.string({
  unit: fc.oneof(
    fc.constantFrom("\u001b", "\u009b", "[", "]", ";", "\u0007", "\r", "\n", "\u202e", "m"),
    fc.string({ unit: "grapheme", maxLength: 1 }),
  ),
});

describe("printable text", () => {
  it("takes whole sequences away and leaves what they decorate", () => {
    expect(printableText("\u001b[31mred\u001b[0m \u001b]0;title\u0007text")).toBe("red text");
  });

  it("keeps lines and tabs", () => {
    expect(printableText("a\r\n\tb\n")).toBe("a\n\tb\n");
  });

  it("never holds what a terminal obeys", () => {
    fc.assert(fc.property(hostile, (text) => !DANGEROUS.test(printableText(text))));
  });

  it("is one line where one line is asked for", () => {
    fc.assert(fc.property(hostile, (text) => !/[\n\t]/.test(printableLine(text))));
  });

  it("leaves harmless text as it is", () => {
    expect(printableText("naïve 漢字 🎉 {}")).toBe("naïve 漢字 🎉 {}");
  });
});

describe("printable JSON", () => {
  it("means the same and holds nothing that a terminal obeys", () => {
    fc.assert(
      fc.property(fc.jsonValue(), hostile, (value, text) => {
        const document = { value, text };
        const json = printableJson(JSON.stringify(document));
        expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(document)));
        expect(json).not.toMatch(DANGEROUS);
      }),
    );
  });
});
