import { expect, it } from "vitest";
import { ApiError, isForLater, laterMs, UnreachableError } from "./api-error.ts";

const limited = new ApiError(429, null, 2000);

it("asks again where the platform says when, as late as it says", () => {
  expect(isForLater(0, limited)).toBe(true);
  expect(laterMs(0, limited)).toBe(2000);
  expect(laterMs(3, limited)).toBeGreaterThanOrEqual(2000);
});

it("does not ask without end", () => {
  expect(isForLater(100, limited)).toBe(false);
});

it.each([new ApiError(404, null), new ApiError(500, null), new UnreachableError("Away.")])(
  "does not ask again after %s: another answer is not to be expected",
  (error) => expect(isForLater(0, error)).toBe(false),
);
