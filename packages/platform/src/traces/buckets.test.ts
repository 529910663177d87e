import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  fillBuckets,
  formatInterval,
  MOST_BUCKETS,
  parseInterval,
  planBuckets,
} from "./buckets.ts";

const SECOND = 1_000_000;
const time = fc.integer({ min: 0, max: Date.UTC(2254, 0, 1) * 1000 });
const range = fc.tuple(time, time).filter(([from, to]) => from < to);
const interval = fc.integer({ min: 1, max: 365 * 86_400 }).map((seconds) => seconds * SECOND);

describe("planBuckets", () => {
  it("covers the range with whole buckets and no more than it needs", () => {
    fc.assert(
      fc.property(range, fc.option(interval, { nil: undefined }), ([from, to], given) => {
        const outcome = planBuckets(from, to, given);
        if (outcome.kind === "too-many") {
          expect(outcome.count).toBeGreaterThan(MOST_BUCKETS);
          expect(given).toBeDefined();
          return;
        }
        const { plan } = outcome;
        expect(plan.from % plan.interval).toBe(0);
        expect(plan.to % plan.interval).toBe(0);
        expect(plan.from).toBeLessThanOrEqual(from);
        expect(plan.from + plan.interval).toBeGreaterThan(from);
        expect(plan.to).toBeGreaterThanOrEqual(to);
        expect(plan.to - plan.interval).toBeLessThan(to);
        if (given === undefined) {
          expect((plan.to - plan.from) / plan.interval).toBeLessThanOrEqual(102);
        }
      }),
    );
  });
});

describe("fillBuckets", () => {
  it("has a bucket for every interval and keeps what was found", () => {
    const plan = { from: 0, to: 5 * SECOND, interval: SECOND };
    const found = {
      start: 3 * SECOND,
      count: 2,
      errors: 1,
      cost: 0.1,
      withCost: 1,
      priced: { count: 1, cost: 0.1 },
      withTokens: 2,
      inputTokens: 1,
      outputTokens: 2,
      totalTokens: 3,
      latency: { p50: 1, p95: 2, p99: 3 },
    };
    const filled = fillBuckets(plan, [found]);
    expect(filled.map(({ start }) => start / SECOND)).toEqual([0, 1, 2, 3, 4]);
    expect(filled.map(({ count }) => count)).toEqual([0, 0, 0, 2, 0]);
    expect(filled[3]).toBe(found);
  });
});

describe("intervals", () => {
  it("are read back as they are shown", () => {
    fc.assert(
      fc.property(interval, (length) => {
        expect(parseInterval(formatInterval(length))).toBe(length);
      }),
    );
  });

  it.each([
    ["90s", "90s"],
    ["60s", "1m"],
    ["120m", "2h"],
    ["24h", "1d"],
    ["7d", "7d"],
  ])("are shown short: %s as %s", (given, shown) => {
    expect(formatInterval(parseInterval(given) ?? Number.NaN)).toBe(shown);
  });
});
