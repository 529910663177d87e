import { expect, test } from "vitest";
import { seriesPaint } from "../charts/chart-series.ts";
import { chartTicks } from "./chart-axis.ts";
import type { ChartPlan } from "./chart-plan.ts";

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

test("bars need room for their stack, lines for the highest of them", () => {
  expect(chartTicks(plan("calls", "bars", [3, 1], [5, null])).at(-1)).toBe(8);
  expect(chartTicks(plan("latency", "lines", [300, 1], [500, null])).at(-1)).toBe(500);
});

test("long latencies are round in minutes, hours and days", () => {
  expect(chartTicks(plan("latency", "lines", [400_000]))[1]).toBe(120_000);
  expect(chartTicks(plan("latency", "lines", [4 * 3_600_000]))[1]).toBe(3_600_000);
  expect(chartTicks(plan("latency", "lines", [96 * 3_600_000]))[1]).toBe(24 * 3_600_000);
});
