import { expect, test } from "vitest";
import { seriesPaint } from "../charts/chart-series.ts";
import { analytics, group } from "./analytics.fixture.ts";
import {
  type ChartName,
  type ChartPlan,
  chartTicks,
  planCharts,
  tracesBehind,
} from "./chart-plan.ts";
import { shownGroups } from "./shown-groups.ts";

const shop = group("shop", { count: 3, errors: 1 }, [
  { count: 3, errors: 1, latency: { p50: 10, p95: 20, p99: 30.5 }, cost: 0.5 },
  {},
]);
const desk = group("desk", { count: 1 }, [
  {},
  { count: 1, tokens: { input: 1, output: 2, total: 3 } },
]);
const whole = [
  {
    count: 3,
    errors: 1,
    latency: { p50: 10, p95: 20, p99: 30.5 },
    cost: 0.5,
    tokens: { input: 7, output: 5, total: 12 },
  },
  { count: 1, tokens: { input: 1, output: 2, total: 3 } },
];
const buckets = { from: Date.parse("2026-11-15T08:00:00Z"), width: 3_600_000, count: 2 };
const FIRST_HOUR = { from: "2026-11-15T08:00:00.000Z", to: "2026-11-15T09:00:00.000Z" };
const SECOND_HOUR = { from: "2026-11-15T09:00:00.000Z", to: "2026-11-15T10:00:00.000Z" };

function plans(groups: (typeof shop)[]) {
  const answer = analytics({ count: 4 }, whole, { groups });
  const charts = planCharts(answer, shownGroups(answer), {
    split: "application",
    percentile: "p95",
  });
  return (name: ChartName) => charts.find((chart) => chart.name === name)!;
}

const lines = (chart: ReturnType<ReturnType<typeof plans>>) =>
  Object.fromEntries(chart.series.map(({ label, values }) => [label, values]));

test("without groups, or with one, charts show the parts of the calls", () => {
  for (const groups of [[], [shop]]) {
    const chart = plans(groups);
    expect(lines(chart("calls"))).toEqual({ Errors: [1, 0], "Without error": [2, 1] });
    expect(lines(chart("errors"))).toEqual({ Errors: [1, 0] });
    expect(lines(chart("latency"))).toEqual({
      p50: [10, null],
      p95: [20, null],
      p99: [30.5, null],
    });
    expect(lines(chart("tokens"))).toEqual({ Input: [7, 1], Output: [5, 2] });
    expect(lines(chart("cost"))).toEqual({ Cost: [0.5, null] });
  }
});

test("several groups have a series each, and unknown is not 0", () => {
  const chart = plans([shop, desk]);
  expect(lines(chart("calls"))).toEqual({ shop: [3, 0], desk: [0, 1] });
  expect(lines(chart("errors"))).toEqual({ shop: [1, 0], desk: [0, 0] });
  expect(lines(chart("latency"))).toEqual({ shop: [20, null], desk: [null, null] });
  expect(lines(chart("tokens"))).toEqual({ shop: [null, 0], desk: [0, 3] });
  expect(lines(chart("cost"))).toEqual({ shop: [0.5, null], desk: [null, null] });
});

test("cost and tokens say of how many calls a bucket has them: all, or those of a group", () => {
  const some = [{ count: 7, cost: 1, with_cost: 5, tokens: { input: 1, output: 1, total: 2 } }];
  const shops = group("shop", { count: 4 }, [{ count: 4, cost: 1, with_cost: 3 }]);
  const desks = group("desk", { count: 3 }, [{ count: 3, cost: 1, with_cost: 3 }]);
  const parts = (groups: (typeof shop)[], chosen: number | null) => {
    const answer = analytics({ count: 7 }, some, { groups });
    const options = { split: "application", percentile: "p95" } as const;
    return Object.fromEntries(
      planCharts(answer, shownGroups(answer), options).flatMap(({ name, part }) => {
        const text = part?.(0, chosen) ?? null;
        return text === null ? [] : [[name, text]];
      }),
    );
  };
  expect(parts([], null)).toEqual({ cost: "5 of 7 calls" });
  expect(parts([], 0)).toEqual({ cost: "5 of 7 calls" });
  expect(parts([shops, desks], null)).toEqual({ cost: "5 of 7 calls" });
  expect(parts([shops, desks], 0)).toEqual({ cost: "3 of 4 calls" });
  expect(parts([shops, desks], 1)).toEqual({});
});

test("a single value has its unit", () => {
  const chart = plans([]);
  const units = (value: number | null) =>
    (["calls", "errors", "latency", "tokens", "cost"] as const).map((name) =>
      chart(name).formatUnit(value),
    );
  expect(units(1)).toEqual(["1 call", "1 error", "1.00 ms", "1 token", "$1.00"]);
  expect(units(12_345)).toEqual([
    "12,345 calls",
    "12,345 errors",
    "12.3 s",
    "12,345 tokens",
    "$12,345.00",
  ]);
  expect(units(null)).toEqual(["–", "–", "–", "–", "–"]);
});

test("a bar of a group leads to its traces of that bucket", () => {
  const chart = plans([shop, desk]);
  expect(tracesBehind(chart("calls"), buckets, 1, 1)).toEqual({
    application: "desk",
    ...SECOND_HOUR,
  });
  expect(tracesBehind(chart("tokens"), buckets, 1, null)).toEqual(SECOND_HOUR);
});

test("a bar of errors leads to the failed traces", () => {
  const split = plans([shop, desk]);
  expect(tracesBehind(split("errors"), buckets, 0, 0)).toEqual({
    application: "shop",
    status: "ERROR",
    ...FIRST_HOUR,
  });
  expect(tracesBehind(split("errors"), buckets, 0, null)).toEqual({
    status: "ERROR",
    ...FIRST_HOUR,
  });
  const chart = plans([])("calls");
  expect(tracesBehind(chart, buckets, 0, 0)).toEqual({ status: "ERROR", ...FIRST_HOUR });
  expect(tracesBehind(chart, buckets, 0, 1)).toEqual(FIRST_HOUR);
});

test("a point of latency leads to the traces that took at least as long", () => {
  expect(tracesBehind(plans([])("latency"), buckets, 0, 2)).toEqual({
    min_latency: "30.5",
    ...FIRST_HOUR,
  });
  expect(tracesBehind(plans([shop, desk])("latency"), buckets, 0, 0)).toEqual({
    application: "shop",
    min_latency: "20",
    ...FIRST_HOUR,
  });
  expect(tracesBehind(plans([])("latency"), buckets, 1, 2)).toEqual(SECOND_HOUR);
});

const plan = (name: ChartPlan["name"], kind: "bars" | "lines", ...values: (number | null)[][]) => ({
  name,
  title: name,
  kind,
  format: String,
  formatUnit: String,
  usualSeries: null,
  series: values.map((own) => ({
    id: "",
    label: "",
    values: own,
    paint: seriesPaint(0),
    filters: {},
    isSeparable: true,
  })),
});

test("the axis covers the stack of bars, or the highest line", () => {
  expect(chartTicks(plan("calls", "bars", [3, 1], [5, null])).at(-1)).toBe(8);
  expect(chartTicks(plan("latency", "lines", [300, 1], [500, null])).at(-1)).toBe(500);
});

test("long latencies are round in minutes, hours and days", () => {
  expect(chartTicks(plan("latency", "lines", [400_000]))[1]).toBe(120_000);
  expect(chartTicks(plan("latency", "lines", [4 * 3_600_000]))[1]).toBe(3_600_000);
  expect(chartTicks(plan("latency", "lines", [96 * 3_600_000]))[1]).toBe(24 * 3_600_000);
});
