import { sumAt } from "../charts/stack-values.ts";
import { type ValueTicks, valueTicks } from "../charts/value-ticks.ts";
import type { ChartPlan } from "./chart-plan.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The marks of a chart's axis: round in what it measures. */
export function chartTicks({ name, kind, series }: ChartPlan): ValueTicks {
  const values = series.map((each) => each.values);
  const heights =
    kind === "bars" ? (values[0] ?? []).map((_, at) => sumAt(values, at)) : values.flat();
  const highest = Math.max(0, ...heights.map((height) => height ?? 0));
  if (name === "cost") return valueTicks(highest, { unit: highest > 0 ? 1 : 0.01 });
  if (name !== "latency") return valueTicks(highest, { leastStep: 1 });
  const unit = [DAY, HOUR, MINUTE].find((each) => highest > 2 * each) ?? 1;
  return valueTicks(highest, { unit });
}
