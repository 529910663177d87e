import fc from "fast-check";
import { expect, it } from "vitest";
import { isNestedDeeper } from "./json-body.ts";

function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

it("counts the levels of any JSON, brackets inside strings excluded", () => {
  const text = fc.stringMatching(/^[[\]{}"\\a]{0,6}$/);
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: "medium" },
      text,
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(text, tie("value"), { maxKeys: 3 }),
    ),
  }));
  fc.assert(
    fc.property(value, fc.nat(6), fc.constantFrom(0, 2), (json, levels, indent) => {
      expect(isNestedDeeper(JSON.stringify(json, null, indent), levels)).toBe(
        depthOf(json) > levels,
      );
    }),
  );
});

it("stops looking once it knows", () => {
  expect(isNestedDeeper("[".repeat(10_000_000), 256)).toBe(true);
});
