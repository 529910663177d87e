import type { AnalyticsFigures } from "@agate/protocol";
import { formatCost } from "../format/format-cost.ts";
import { formatCount } from "../format/format-count.ts";
import { formatLatency } from "../format/format-latency.ts";
import { type FigureChange, relativeChange, shareChange } from "./figure-change.ts";
import { errorRate, formatShare } from "./format-share.ts";

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
      about: plural(now.errors, "error"),
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
      value: formatCount(now.tokens.total),
      about: `${formatCount(now.tokens.input)} in · ${formatCount(now.tokens.output)} out`,
      change: relative((of) => of.tokens.total),
    },
    {
      label: "Cost",
      value: formatCost(now.cost),
      about: `${formatCost(now.cost === null || now.count === 0 ? null : now.cost / now.count)} a call`,
      change: relative((of) => of.cost),
    },
  ];
}

function plural(count: number, word: string): string {
  return `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;
}
