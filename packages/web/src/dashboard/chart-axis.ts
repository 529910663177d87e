import { sumAt } from "../charts/stack-values.ts";
import { type ValueTicks, valueTicks } from "../charts/value-ticks.ts";
import type { ChartPlan } from "./chart-plan.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** The marks of a chart's axis: round in what it measures. */
export function chartTicks({ name, kind, series }: ChartPlan): ValueTicks {
  const values = series.map((each) => each.values);
  const heights =
    kind === "bars" ? (values[0] ?? []).map((_, at) => sumAt(values, at)) : values.flat();
  const highest = Math.max(0, ...heights.map((height) => height ?? 0));
  if (name === "cost") return valueTicks(highest, { unit: highest > 0 ? 1 : 0.01 });
  if (name !== "latency") return valueTicks(highest, { leastStep: 1 });
  const unit = highest > 2 * HOUR ? HOUR : highest > 2 * MINUTE ? MINUTE : 1;
  return valueTicks(highest, { unit });
}

/**
 * A mark's text: without the zeros that make columns of figures line up.
 *
 * @example tickText("2.00 s") // "2 s"
 */
export function tickText(text: string): string {
  return text
    .replace(/(\.\d*?)0+(?!\d)/, "$1")
    .replace(/\.(?!\d)/, "")
    .replace(/ 0 [sm]$/, "");
}
