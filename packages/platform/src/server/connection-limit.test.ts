import { expect, it } from "vitest";
import { connectionsWithin, descriptorLimit } from "./connection-limit.ts";

it.each([
  [Number.POSITIVE_INFINITY, 10_000, 10_000],
  [1_048_576, 10_000, 10_000],
  [20_128, 10_000, 10_000],
  [20_126, 10_000, 9_999],
  [1_024, 10_000, 448],
  [162, 10_000, 17],
  [160, 10_000, 16],
  [64, 10_000, 16],
  [64, 5, 5],
])("leaves of %d descriptors, when %d connections are wanted, %d", (descriptors, wanted, limit) => {
  expect(connectionsWithin(descriptors, wanted)).toBe(limit);
});

it("knows the limit of this process", () => {
  expect(descriptorLimit()).toBeGreaterThan(16);
});
