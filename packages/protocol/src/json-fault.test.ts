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

test("finds a fault exactly where JSON.parse rejects the text", () => {
  fc.assert(
    fc.property(fc.oneof(JSON_LIKE, NEARLY_JSON, fc.json()), (text) => {
      expect(jsonFault(text) === null).toBe(isJson(text));
    }),
    { numRuns: 5_000 },
  );
});

test("finds the first fault: the text before it is only unfinished", () => {
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
      expect(again.problem).toMatch(
        /^The (?:text is empty|text ends too early|closing .* is missing)/,
      );
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  ["", 1, 1, "The text is empty: expected a JSON value."],
  ['{\n  "a": 1,\n}', 3, 1, "Remove the comma before this }."],
  ['{"a": [1, 2,]}', 1, 13, "A value is missing before this ]."],
  ['{\r\n  "a" 1}', 2, 7, "Expected a colon after the name."],
  ['{"a": 1\n "b": 2}', 2, 2, "Expected a comma or } here."],
  ["{a: 1}", 1, 2, 'Expected a name in double quotes, such as "text".'],
  ['{"a": plain}', 1, 7, "Expected a double-quoted string, a number, true, false or null."],
  ["['a']", 1, 2, "Strings need double quotes."],
  ["[01]", 1, 2, "This is not a JSON number."],
  ['{"a": "b\n}', 1, 9, "A string ends on the line it begins on: write \\n for a line break."],
  ['["a]', 1, 2, "The closing quote is missing."],
  ['["a\tb"]', 1, 4, "Write this character as an escape, such as \\t."],
  ['{"a": "\\q"}', 1, 8, "Invalid escape: write \\\\ for a backslash."],
  ['{"a": {"b": 1}', 1, 15, "The closing } is missing."],
  ['{"a": ', 1, 7, "The text ends too early."],
  ["{} {}", 1, 4, "Nothing may follow the end of the value."],
])("%j", (text, line, column, problem) => {
  const lines = text.split(/(?<=\n)/).slice(0, line - 1);
  const position = lines.join("").length + column - 1;
  expect(jsonFault(text)).toEqual({ position, line, column, problem });
});

test("reads a text nested a hundred thousand deep", () => {
  expect(jsonFault("[".repeat(100_000))).toMatchObject({ column: 100_001 });
});
