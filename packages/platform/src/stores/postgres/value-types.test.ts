import fc from "fast-check";
import { expect, it } from "vitest";
import { fromStorable, toStorable } from "./value-types.ts";

const text = fc
  .array(fc.constantFrom("\0", "\u0001", "\u0002", "0", "1", "a"), { maxLength: 6 })
  .map((characters) => characters.join(""));

it("gives every text back, without a NUL in between", () => {
  fc.assert(
    fc.property(text, (given) => {
      expect(toStorable(given)).not.toContain("\0");
      expect(fromStorable(toStorable(given))).toBe(given);
    }),
  );
});

it("keeps texts in their order", () => {
  fc.assert(
    fc.property(text, text, (a, b) => {
      expect(toStorable(a) < toStorable(b)).toBe(a < b);
    }),
  );
});
