import { describe, expect, it } from "vitest";
import { costOf } from "./price-lookup.ts";

const prices = { input: 3, output: 15, cachedInput: 0.3, cacheWrite: 3.75 };

function usage(input: number | null, output: number | null, cached: number | null = null) {
  return {
    input_tokens: input,
    output_tokens: output,
    total_tokens: null,
    cached_input_tokens: cached,
    reasoning_tokens: 50,
  };
}

describe("the cost of a call", () => {
  it("prices input, output, cached input and what was written to the cache each by its own", () => {
    expect(costOf(prices, usage(1_000_000, 0), null)).toBe(3);
    expect(costOf(prices, usage(0, 1_000_000), null)).toBe(15);
    expect(costOf(prices, usage(1_000_000, 0, 1_000_000), null)).toBe(0.3);
    expect(costOf(prices, usage(1_000_000, 0), 1_000_000)).toBe(3.75);
    // 300 × 3 + 600 × 0.3 + 100 × 3.75 + 200 × 15, per million.
    expect(costOf(prices, usage(1000, 200, 600), 100)).toBe(0.004455);
  });

  it("prices cached input like other input where it has no price of its own", () => {
    const flat = { input: 3, output: 15, cachedInput: null, cacheWrite: null };
    expect(costOf(flat, usage(1000, 200, 600), 100)).toBe(0.006);
  });

  it("has no crumbs of binary fractions", () => {
    expect(costOf({ ...prices, input: 0.1, output: 0.2 }, usage(1, 1), null)).toBe(0.0000003);
  });

  it("is unknown when a count is that has a price", () => {
    expect(costOf(prices, usage(null, 5), null)).toBeNull();
    expect(costOf(prices, usage(5, null), null)).toBeNull();
    expect(costOf({ ...prices, output: null }, usage(1_000_000, null), null)).toBe(3);
    expect(costOf({ ...prices, output: null }, usage(5, 5), null)).toBeNull();
  });

  it("never counts more of the input as cached than there was", () => {
    expect(costOf(prices, usage(100, 0, 1000), 1000)).toBe(0.00003);
  });
});
