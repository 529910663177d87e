import { expect, test } from "vitest";
import { formatCost } from "./format-cost.ts";

test.each([
  [null, "–"],
  [0, "$0"],
  [0.00000012, "<$0.000001"],
  [0.000001, "$0.0000010"],
  [0.000482, "$0.00048"],
  [0.0124, "$0.012"],
  [1234.5, "$1,234.50"],
  [123_456.789, "$123,457"],
])("%s dollars are %s", (dollars, text) => {
  expect(formatCost(dollars)).toBe(text);
});
