import type { Analytics, AnalyticsBucket, AnalyticsFigures, AnalyticsGroup } from "@agate/protocol";

const FROM = Date.parse("2026-11-15T08:00:00Z");
const HOUR = 3_600_000;

/** Figures of a number of calls; figures left out are unknown or 0, the others are of all calls. */
export function figures(given: Partial<AnalyticsFigures> = {}): AnalyticsFigures {
  const { count = 0, cost = null } = given;
  const withCost = given.with_cost ?? (given.cost === undefined ? 0 : count);
  return {
    count,
    errors: 0,
    cost: null,
    with_cost: withCost,
    priced: { count: withCost, cost },
    tokens: { input: 0, output: 0, total: 0 },
    with_tokens: given.tokens === undefined ? 0 : count,
    latency: null,
    ...given,
  };
}

/** An hour each, from 8 o'clock in UTC. */
export function hours(given: readonly Partial<AnalyticsFigures>[]): readonly AnalyticsBucket[] {
  return given.map((each, index) => ({
    start: new Date(FROM + index * HOUR).toISOString(),
    ...figures(each),
  }));
}

export function group(
  key: string | null,
  total: Partial<AnalyticsFigures>,
  buckets: readonly Partial<AnalyticsFigures>[],
): AnalyticsGroup {
  return { key, ...figures(total), buckets: hours(buckets) };
}

export function analytics(
  total: Partial<AnalyticsFigures>,
  buckets: readonly Partial<AnalyticsFigures>[],
  more: Partial<Analytics> = {},
): Analytics {
  return {
    from: new Date(FROM).toISOString(),
    to: new Date(FROM + buckets.length * HOUR).toISOString(),
    interval: "1h",
    total: figures(total),
    buckets: hours(buckets),
    ...more,
  };
}
