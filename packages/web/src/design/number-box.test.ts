import fc from "fast-check";
import { expect, it } from "vitest";
import { parseNumber } from "./number-box.tsx";

it.each([
  ["5", 5],
  [" -1.50 ", -1.5],
  [".5", 0.5],
  ["1e-6", 1e-6],
  ["+3", 3],
  ["-0", 0],
  ["", undefined],
  ["-", undefined],
  ["1,5", undefined],
  ["0x10", undefined],
  ["1e400", undefined],
  ["Infinity", undefined],
  ["5 apples", undefined],
])("reads %j as %j", (text, number) => {
  expect(parseNumber(text)).toBe(number);
});

it("reads every number that JavaScript writes", () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
      expect(parseNumber(String(number))).toBe(number + 0);
    }),
  );
});
