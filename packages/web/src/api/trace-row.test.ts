import fc from "fast-check";
import { expect, it } from "vitest";
import { previewOf } from "./trace-row.ts";

it.each([
  [null, ""],
  ["What is\n  agate?", "What is agate?"],
  [{ question: "What is agate?" }, "What is agate?"],
  [{ text: "A stone.", limit: 3 }, "text: A stone., limit: 3"],
  [{ data: { answer: "A stone." } }, "A stone."],
  [[1, 2, { a: 3, b: null }], "1, 2, 3"],
  [{ done: false }, "false"],
  [{}, ""],
  [
    [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Hello" },
    ],
    "Hello",
  ],
  [
    {
      model: "m",
      messages: [
        { role: "user", content: [{ type: "text", text: "One" }, { type: "image" }] },
        { role: "assistant", content: null },
      ],
    },
    "One",
  ],
  [[{ role: "user", parts: [{ type: "text", content: "Part" }] }], "Part"],
  [{ __proto__: null, toString: "own" }, "own"],
])("shows %j as %j", (value, shown) => {
  expect(previewOf(value)).toBe(shown);
});

it("is one short line for any JSON", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const shown = previewOf(value);
      expect(shown.length).toBeLessThanOrEqual(241);
      expect(shown).not.toMatch(/[\n\r\t]/);
    }),
  );
});

it("reads little of a value that is huge or deep", () => {
  let deep: unknown = "bottom";
  for (let n = 0; n < 100_000; n++) deep = { below: deep, beside: 1 };
  expect(previewOf(deep)).toContain("beside: 1");
  expect(previewOf("x".repeat(50_000_000))).toBe(`${"x".repeat(240)}…`);
});
