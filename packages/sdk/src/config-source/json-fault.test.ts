import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonFault } from "./json-fault.ts";

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const JSON_LIKE = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        '"a"',
        '"',
        "\\",
        "\\u12",
        "\n",
        " ",
        "\t",
        "\u00a0",
      ),
      fc.constantFrom(
        "1",
        "-",
        "0",
        "01",
        "1.5",
        "1.",
        "2e3",
        "2e",
        "true",
        "nul",
        "NaN",
        "// x",
        "'b'",
      ),
      fc.json(),
    ),
    { maxLength: 12 },
  )
  .map((pieces) => pieces.join(""));

/** JSON with one character put in or left out. */
const NEARLY_JSON = fc
  .tuple(fc.json(), fc.nat(), fc.constantFrom("", ",", '"', "}", "]", "\\", "\n", "x", "0"))
  .map(([text, at, piece]) => {
    const index = at % (text.length + 1);
    return text.slice(0, index) + piece + text.slice(index + (piece === "" ? 1 : 0));
  });

test("it finds a fault exactly where JSON.parse does not accept the text", () => {
  fc.assert(
    fc.property(fc.oneof(JSON_LIKE, NEARLY_JSON, fc.json()), (text) => {
      expect(jsonFault(text) === null).toBe(isJson(text));
    }),
    { numRuns: 5_000 },
  );
});

test("the fault is the first one: up to it the text is only unfinished", () => {
  fc.assert(
    fc.property(fc.oneof(JSON_LIKE, NEARLY_JSON), (text) => {
      const fault = jsonFault(text);
      if (fault === null) return;
      const lines = text.split(/(?<=\r\n|\r(?!\n)|\n)/);
      const before = lines.slice(0, fault.line - 1).join("");
      const rest = (lines[fault.line - 1] ?? "").slice(0, fault.column - 1);
      expect(rest).toHaveLength(fault.column - 1);
      const again = jsonFault(before + rest);
      if (again === null) return;
      expect([again.line, again.column]).toEqual([fault.line, fault.column]);
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  ["", 1, 1, "The file is empty."],
  ['{\n  "a": 1,\n}', 3, 1, 'The "," before this "}" is one too many.'],
  ['{"a": [1, 2,]}', 1, 13, 'The "," before this "]" is one too many.'],
  ['{\r\n  "a" 1}', 2, 7, 'A ":" must follow the name.'],
  ['{"a": 1\n "b": 2}', 2, 2, 'A "," or a "}" is missing before this.'],
  ["{a: 1}", 1, 2, 'A name in "double quotes" is expected here.'],
  ['{"a": plain}', 1, 7, "A value is expected here: text goes in double quotes."],
  ['{"a": "b\n}', 1, 9, "The text has no end"],
  ['{"a": "\\q"}', 1, 8, "There is no such escape"],
  ['{"a": {"b": 1}', 1, 15, "A } is missing."],
  ["{} {}", 1, 4, "Nothing may follow here."],
])("%j", (text, line, column, problem) => {
  expect(jsonFault(text)).toEqual({ line, column, problem: expect.stringContaining(problem) });
});

test("a text nested a hundred thousand deep", () => {
  expect(jsonFault("[".repeat(100_000))).toMatchObject({ column: 100_001 });
});
