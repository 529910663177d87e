import type { Dimensions, Filter, Listed, NaiveModel } from "./naive-model.ts";

export type Grouping = Exclude<keyof Dimensions, "revision" | "session_id" | "run">;

/** What is asked of `/observability/analytics/`. Times are whole seconds since 1970. */
export interface AnalyticsQuestion {
  readonly filter: Filter;
  readonly from: number;
  readonly to: number;
  readonly interval: (typeof INTERVALS)[number];
  readonly groupBy: Grouping | null;
  readonly groupLimit: number;
}

/** Names and lengths in seconds. */
export const INTERVALS = [
  { name: "1s", seconds: 1 },
  { name: "7s", seconds: 7 },
  { name: "1m", seconds: 60 },
  { name: "90m", seconds: 5_400 },
  { name: "1h", seconds: 3_600 },
  { name: "1d", seconds: 86_400 },
] as const;

/** The body of the answer. */
export function expectedAnalytics(model: NaiveModel, question: AnalyticsQuestion): object {
  const { interval, groupBy, groupLimit } = question;
  const width = interval.seconds;
  const from = Math.floor(question.from / width) * width;
  const to = Math.ceil(question.to / width) * width;
  const traces = model.listTraces(question.filter).filter(({ start }) => {
    const second = Number(start / 1_000_000_000n);
    return second >= from && second < to;
  });
  const told = (some: readonly Listed[]) => ({
    ...figures(some),
    buckets: buckets(some, from, to, width),
  });
  const { buckets: all, ...total } = told(traces);
  const answer = { from: iso(from), to: iso(to), interval: interval.name, total, buckets: all };
  if (groupBy === null) return answer;
  const groups = [...Map.groupBy(traces, ({ dimensions }) => dimensions[groupBy])].sort(
    ([a, ofA], [b, ofB]) => ofB.length - ofA.length || compareKeys(a, b),
  );
  return {
    ...answer,
    groups: groups.slice(0, groupLimit).map(([key, own]) => ({ key, ...told(own) })),
    groups_left_out: Math.max(0, groups.length - groupLimit),
  };
}

/** Null last. */
function compareKeys(a: string | null, b: string | null): number {
  if (a === null || b === null) return a === null ? 1 : -1;
  return a < b ? -1 : 1;
}

function buckets(traces: readonly Listed[], from: number, to: number, width: number): object[] {
  const byStart = Map.groupBy(traces, ({ start }) => {
    const second = Number(start / 1_000_000_000n);
    return Math.floor(second / width) * width;
  });
  const told: object[] = [];
  for (let start = from; start < to; start += width) {
    told.push({ start: iso(start), ...figures(byStart.get(start) ?? []) });
  }
  return told;
}

function figures(traces: readonly Listed[]): object {
  const costs = traces.flatMap(({ cost }) => cost ?? []);
  const priced = traces
    .filter(({ unpricedCalls }) => unpricedCalls === 0)
    .flatMap(({ cost }) => cost ?? []);
  const sum = (dollars: readonly number[]) =>
    dollars.length === 0 ? null : dollars.reduce((a, b) => a + b);
  const tokens = (figure: "input" | "output") =>
    traces.reduce((all, trace) => all + (trace.tokens?.[figure] ?? 0), 0);
  return {
    count: traces.length,
    errors: traces.filter(({ dimensions }) => dimensions.status === "ERROR").length,
    cost: sum(costs),
    with_cost: costs.length,
    priced: { count: priced.length, cost: sum(priced) },
    with_tokens: traces.filter(({ tokens: told }) => told !== null).length,
    tokens: {
      input: tokens("input"),
      output: tokens("output"),
      total: tokens("input") + tokens("output"),
    },
    latency: percentiles(traces.flatMap(({ latency }) => latency ?? [])),
  };
}

function percentiles(latencies: readonly number[]): object | null {
  if (latencies.length === 0) return null;
  const sorted = latencies.toSorted((a, b) => a - b);
  const at = (fraction: number) => {
    const place = (sorted.length - 1) * fraction;
    const low = sorted[Math.floor(place)]!;
    return low + (sorted[Math.ceil(place)]! - low) * (place % 1);
  };
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}

/** Of whole seconds since 1970. */
export function iso(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
