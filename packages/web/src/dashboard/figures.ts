import type { AnalyticsFigures } from "@agate/protocol";
import {
  costPartOf,
  formatCompactCount,
  formatCost,
  formatDuration,
  formatTotalCost,
  partOf,
  plural,
} from "@agate/protocol/format";

/** A figure of the whole range, formatted. */
export interface Figure {
  readonly label: string;
  readonly value: string;
  /** Details, in small print. */
  readonly about: string;
  /** Null if unknown. */
  readonly change: FigureChange | null;
  /** Whether an increase is bad; undefined where it is neither good nor bad. */
  readonly isBadWhenUp?: true;
}

/** @param before The figures of the previous period; undefined while loading. */
export function figuresOf(
  now: AnalyticsFigures,
  before: AnalyticsFigures | undefined,
): readonly Figure[] {
  const relative = (figure: (of: AnalyticsFigures) => number | null) =>
    before === undefined ? null : relativeChange(figure(now), figure(before));
  return [
    {
      label: "Calls",
      value: formatCompactCount(now.count),
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
      value: formatDuration(now.latency?.p95 ?? null),
      about: `p50 ${formatDuration(now.latency?.p50 ?? null)} · p99 ${formatDuration(now.latency?.p99 ?? null)}`,
      change: relative((of) => of.latency?.p95 ?? null),
      isBadWhenUp: true,
    },
    {
      label: "Tokens",
      value: formatCompactCount(knownTokens(now, "total")),
      about: withPart(
        `${formatCompactCount(knownTokens(now, "input"))} in · ${formatCompactCount(knownTokens(now, "output"))} out`,
        meteredPart(now),
      ),
      change: relative((of) => knownTokens(of, "total")),
    },
    {
      label: "Cost",
      value: formatTotalCost({ cost: now.cost, unpriced_calls: partlyPriced(now) }),
      about: withPart(`${formatCost(costPerCall(now))} per call`, averagedPart(now)),
      change: relative((of) => of.cost),
    },
  ];
}

function withPart(text: string, part: string | null): string {
  return part === null ? text : `${text} (${part})`;
}

/** The change of a figure from the previous period. */
export interface FigureChange {
  readonly direction: "up" | "down" | "same";
  /** Without its sign: `12%`, `1.5 points`. */
  readonly size: string;
}

/** The relative change; null if a value is unknown, or the previous one is 0. */
export function relativeChange(now: number | null, before: number | null): FigureChange | null {
  if (now === null || before === null || before === 0) return null;
  const change = (now - before) / before;
  const percent = Math.abs(change) * 100;
  const size = percent < 0.05 ? "0%" : percent > 999 ? "over 999%" : `${digits(percent)}%`;
  return { direction: directionOf(size === "0%" ? 0 : change), size };
}

/** The change of a share in percentage points; null if a value is unknown. */
export function shareChange(now: number | null, before: number | null): FigureChange | null {
  if (now === null || before === null) return null;
  const points = (now - before) * 100;
  const size = Math.abs(points) < 0.05 ? 0 : Math.abs(points);
  return {
    direction: directionOf(size === 0 ? 0 : points),
    size: `${size === 0 ? "0" : digits(size)} ${digits(size) === "1" ? "point" : "points"}`,
  };
}

function directionOf(change: number): FigureChange["direction"] {
  return change > 0 ? "up" : change < 0 ? "down" : "same";
}

function digits(value: number): string {
  return value < 9.95 ? String(Number(value.toFixed(1))) : value.toFixed(0);
}

/**
 * A share in percent; "–" for an unknown one.
 *
 * @example formatShare(0.0312) // "3.1%"
 */
export function formatShare(share: number | null): string {
  if (share === null) return "–";
  const percent = share * 100;
  if (percent === 0 || percent === 100) return `${percent}%`;
  if (percent < 0.01) return "<0.01%";
  if (percent < 0.995) return `${percent.toFixed(2)}%`;
  // 99.95% must not be rounded to 100%.
  return percent < 99.95 ? `${percent.toFixed(1)}%` : ">99.9%";
}

/** The share of failed calls; null without calls. */
export function errorRate({
  count,
  errors,
}: {
  readonly count: number;
  readonly errors: number;
}): number | null {
  return count === 0 ? null : errors / count;
}

type TokenKind = keyof AnalyticsFigures["tokens"];

/** The tokens of a kind; null if there were calls, and none reported tokens. */
export function knownTokens(
  { count, tokens, with_tokens }: AnalyticsFigures,
  kind: TokenKind,
): number | null {
  return count > 0 && with_tokens === 0 ? null : tokens[kind];
}

/** The average cost in US dollars of calls that are priced in full; null without any. */
export function costPerCall({ priced: { count, cost } }: AnalyticsFigures): number | null {
  return cost === null || count === 0 ? null : cost / count;
}

/** How many calls have a cost that leaves out model calls without a price. */
function partlyPriced({ with_cost, priced }: AnalyticsFigures): number {
  return with_cost - priced.count;
}

/** The calls that the average cost is of: "5 of 7 priced"; null where it is of all, or no cost is known. */
function averagedPart({ count, with_cost, priced }: AnalyticsFigures): string | null {
  if (with_cost === 0 || priced.count === count) return null;
  return `${priced.count.toLocaleString("en")} of ${count.toLocaleString("en")} priced`;
}

/** The calls whose cost is known: "5 of 7 calls, 1 in part"; null where it is of all or of none. */
export function pricedPart({ count, with_cost, priced }: AnalyticsFigures): string | null {
  return costPartOf({ all: count, known: with_cost, priced: priced.count }, "calls");
}

/** The calls whose tokens are known: "5 of 7 calls"; null where they are of all or of none. */
export function meteredPart({ count, with_tokens }: AnalyticsFigures): string | null {
  return partOf(with_tokens, count, "calls");
}
