import { expect, test } from "vitest";
import { figures } from "./analytics.fixture.ts";
import { figuresOf, formatShare } from "./figures.ts";
import { periodBefore } from "./use-dashboard-data.ts";

const now = figures({
  count: 200,
  errors: 5,
  cost: 1.5,
  latency: { p50: 100, p95: 900, p99: 1500 },
  tokens: { input: 1000, output: 500, total: 1500 },
});

const told = (before: Parameters<typeof figuresOf>[1]) =>
  figuresOf(now, before).map(({ label, value, change }) => [
    label,
    value,
    change && `${change.direction} ${change.size}`,
  ]);

test("figures are compared with the previous period", () => {
  const before = figures({
    count: 160,
    errors: 8,
    cost: 1.5,
    latency: { p50: 100, p95: 1000, p99: 1500 },
    tokens: { input: 1, output: 1, total: 2 },
  });
  expect(told(before)).toEqual([
    ["Calls", "200", "up 25%"],
    ["Error rate", "2.5%", "down 2.5 points"],
    ["Latency p95", "900 ms", "down 10%"],
    ["Tokens", "1,500", "up over 999%"],
    ["Cost", "$1.50", "same 0%"],
  ]);
});

test("there is no change from 0 or from an unknown value", () => {
  expect(told(figures()).map(([, , change]) => change)).toEqual([null, null, null, null, null]);
  expect(told(undefined).map(([, , change]) => change)).toEqual([null, null, null, null, null]);
});

test("unknown is not 0", () => {
  expect(figuresOf(figures(), undefined).map(({ value }) => value)).toEqual([
    "0",
    "–",
    "–",
    "0",
    "–",
  ]);
});

test("the cost per call is the average of calls that are priced in full", () => {
  const cost = (given: Parameters<typeof figures>[0]) =>
    figuresOf(figures(given), undefined).find(({ label }) => label === "Cost")?.about;
  expect(cost({ count: 4, cost: 2 })).toBe("$0.50 per call");
  expect(cost({ count: 4, cost: 2, with_cost: 1 })).toBe("$2.00 per call (1 of 4 priced)");
  expect(cost({ count: 4, cost: 2, with_cost: 3, priced: { count: 2, cost: 1 } })).toBe(
    "$0.50 per call (2 of 4 priced)",
  );
  expect(cost({ count: 4, cost: 2, with_cost: 3, priced: { count: 0, cost: null } })).toBe(
    "– per call (0 of 4 priced)",
  );
  expect(cost({ count: 4, cost: null })).toBe("– per call");
  expect(cost({})).toBe("– per call");
});

test("a sum that leaves out model calls without a price is the least that it can be", () => {
  const value = (given: Parameters<typeof figures>[0]) =>
    figuresOf(figures(given), undefined).find(({ label }) => label === "Cost")?.value;
  expect(value({ count: 4, cost: 2, with_cost: 3 })).toBe("$2.00");
  expect(value({ count: 4, cost: 2, with_cost: 3, priced: { count: 2, cost: 1 } })).toBe("≥ $2.00");
});

test("tokens are unknown where no call reported any, and 0 without calls", () => {
  const tokens = (given: Parameters<typeof figures>[0]) => {
    const tile = figuresOf(figures(given), figures({ count: 1 })).find(
      ({ label }) => label === "Tokens",
    );
    return [tile?.value, tile?.about, tile?.change];
  };
  expect(tokens({ count: 3 })).toEqual(["–", "– in · – out", null]);
  expect(tokens({})).toEqual(["0", "0 in · 0 out", null]);
  const told = { input: 1, output: 2, total: 3 };
  expect(tokens({ count: 3, tokens: told })[1]).toBe("1 in · 2 out");
  const some = tokens({ count: 3, tokens: told, with_tokens: 1 });
  expect(some.slice(0, 2)).toEqual(["3", "1 in · 2 out (1 of 3 calls)"]);
});

test("the previous period has the same length and ends where this one starts", () => {
  expect(
    periodBefore({ from: "2026-11-15T10:00:00.000Z", to: "2026-11-15T16:00:00.000Z" }),
  ).toEqual({
    from: "2026-11-15T04:00:00.000Z",
    to: "2026-11-15T10:00:00.000Z",
  });
  expect(
    periodBefore({ from: "1970-01-02T00:00:00.000Z", to: "1970-01-04T00:00:00.000Z" }),
  ).toBeNull();
});

test.each([
  [0, "0%"],
  [0.00001, "<0.01%"],
  [0.0049, "0.49%"],
  [0.0312, "3.1%"],
  [0.99999, ">99.9%"],
  [1, "100%"],
  [null, "–"],
])("a share of %d is %s", (share, text) => {
  expect(formatShare(share)).toBe(text);
});
