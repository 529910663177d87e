import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findFault, readJson } from "./json-syntax.ts";

function reasonOf(text: string): string {
  const reading = readJson(text);
  return reading.kind === "broken" ? reading.fault.message : "no fault";
}

describe("readJson", () => {
  it("gives the value of what is JSON", () => {
    expect(readJson(' {"a": [1, true, null, "\\u00e9"]} ')).toEqual({
      kind: "value",
      value: { a: [1, true, null, "é"] },
    });
  });

  it.each([
    ["", "Line 1, column 1: There is nothing here yet."],
    ['{"a": 1,}', "Line 1, column 9: There is a comma too many before this }."],
    ["{a: 1}", 'Line 1, column 2: Expected a name in double quotes, such as "text".'],
    ['{"a" 1}', "Line 1, column 6: Expected a colon after the name."],
    ['{\n  "a": 1\n  "b": 2\n}', "Line 3, column 3: Expected a comma or } here."],
    ["[1, 2", "Line 1, column 6: The closing ] is missing."],
    ["[1,]", "Line 1, column 4: A value is missing before this ]."],
    ["['a']", "Line 1, column 2: Texts are in double quotes."],
    [
      '["a\nb"]',
      "Line 1, column 4: A text ends on the line it begins on; write \\n for a new line.",
    ],
    ['["a]', "Line 1, column 2: The closing quote is missing."],
    ['["\\d"]', "Line 1, column 3: A backslash is written twice: \\\\."],
    ["[01]", "Line 1, column 2: This is not a number as JSON writes it."],
    [
      "yes",
      "Line 1, column 1: Texts are in double quotes; other than that there are numbers, true, false and null.",
    ],
    ["{} {}", "Line 1, column 4: Nothing may follow the end of the value."],
  ])("says where and why %j is none", (text, message) => {
    expect(reasonOf(text)).toBe(message);
  });

  it("finds a fault in whatever JSON.parse refuses, and in nothing else", () => {
    const nearlyJson = fc
      .tuple(
        fc.json(),
        fc.nat(),
        fc.constantFrom("", ",", '"', "}", "[", "1", "\\", "\n", "-", "tru"),
      )
      .map(([json, at, put]) => {
        const place = at % (json.length + 1);
        return json.slice(0, place) + put + json.slice(place + (put === "" ? 1 : 0));
      });
    fc.assert(
      fc.property(fc.oneof(nearlyJson, fc.string()), (text) => {
        const { reason, position } = findFault(text);
        expect(position).toBeLessThanOrEqual(text.length);
        expect(reason === "This is JSON.").toBe(isJson(text));
      }),
      { numRuns: 2000 },
    );
  });

  it("goes through what is nested deeper than calls can be", () => {
    expect(reasonOf("[".repeat(100_000))).toContain("The end is missing.");
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
