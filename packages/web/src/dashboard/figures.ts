import type { AnalyticsFigures } from "@agate/protocol";
import { formatCost } from "../format/format-cost.ts";
import { formatCount, formatUnits } from "../format/format-count.ts";
import { formatLatency } from "../format/format-latency.ts";
import { type FigureChange, relativeChange, shareChange } from "./figure-change.ts";
import { errorRate, formatShare } from "./format-share.ts";
import { costPerCall, knownTokens } from "./known-figures.ts";

/** A figure of the whole range, as it is told. */
export interface Figure {
  readonly label: string;
  readonly value: string;
  /** More of it, smaller. */
  readonly about: string;
  /** Null where it cannot be known. */
  readonly change: FigureChange | null;
  /** Whether more of it is bad; undefined where it is neither. */
  readonly isBadWhenUp?: true;
}

/** @param before The figures of the period before; undefined while they are not known. */
export function figuresOf(
  now: AnalyticsFigures,
  before: AnalyticsFigures | undefined,
): readonly Figure[] {
  const relative = (figure: (of: AnalyticsFigures) => number | null) =>
    before === undefined ? null : relativeChange(figure(now), figure(before));
  return [
    {
      label: "Calls",
      value: formatCount(now.count),
      about: formatUnits(now.errors, "error"),
      change: relative((of) => of.count),
    },
    {
      label: "Error rate",
      value: formatShare(errorRate(now)),
      about: `${now.errors.toLocaleString("en")} of ${now.count.toLocaleString("en")}`,
      change: before === undefined ? null : shareChange(errorRate(now), errorRate(before)),
      isBadWhenUp: true,
    },
    {
      label: "Latency p95",
      value: formatLatency(now.latency?.p95 ?? null),
      about: `p50 ${formatLatency(now.latency?.p50 ?? null)} · p99 ${formatLatency(now.latency?.p99 ?? null)}`,
      change: relative((of) => of.latency?.p95 ?? null),
      isBadWhenUp: true,
    },
    {
      label: "Tokens",
      value: formatCount(knownTokens(now, "total")),
      about: `${formatCount(knownTokens(now, "input"))} in · ${formatCount(knownTokens(now, "output"))} out`,
      change: relative((of) => knownTokens(of, "total")),
    },
    {
      label: "Cost",
      value: formatCost(now.cost),
      about: costAbout(now),
      change: relative((of) => of.cost),
    },
  ];
}

/** The unknown is in no average: "$0.010 a call (5 of 7 priced)". */
function costAbout(of: AnalyticsFigures): string {
  const { count, with_cost } = of;
  const priced = `${with_cost.toLocaleString("en")} of ${count.toLocaleString("en")} priced`;
  const each = `${formatCost(costPerCall(of))} a call`;
  return with_cost === 0 || with_cost === count ? each : `${each} (${priced})`;
}
