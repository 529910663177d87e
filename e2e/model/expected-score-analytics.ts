import { type AnalyticsQuestion, iso } from "./expected-analytics.ts";
import type { ModelScore } from "./model-score.ts";
import type { Dimensions, NaiveModel } from "./naive-model.ts";

/** What is asked of `/observability/analytics/scores/`. */
export interface ScoreQuestion extends Omit<AnalyticsQuestion, "groupBy"> {
  readonly groupBy: AnalyticsQuestion["groupBy"] | "revision";
}

const MOST_NAMES = 50;
const MOST_LABELS = 20;

/** A score, and the trace that it is counted with. */
interface Counted {
  readonly score: ModelScore;
  readonly second: number;
  readonly dimensions: Dimensions;
}

/** The body of the answer. */
export function expectedScoreAnalytics(model: NaiveModel, question: ScoreQuestion): object {
  const { interval, groupBy, groupLimit, filter } = question;
  const width = interval.seconds;
  const from = Math.floor(question.from / width) * width;
  const to = Math.ceil(question.to / width) * width;
  const counted = model.listTraces(filter).flatMap(({ traceId, start, dimensions }) => {
    const second = Number(start / 1_000_000_000n);
    if (second < from || second >= to) return [];
    return model.scoresOf(traceId).map(({ score }) => ({ score, second, dimensions }));
  });
  const told = (some: readonly Counted[]) => ({
    ...figures(some),
    buckets: [...Map.groupBy(some, ({ second }) => Math.floor(second / width) * width)]
      .sort(([a], [b]) => a - b)
      .map(([start, own]) => ({ start: iso(start), ...figures(own) })),
  });
  const names = mostFirst(Map.groupBy(counted, ({ score }) => score.name));
  const keyOf = ({ dimensions }: Counted) =>
    groupBy === null || groupBy === "revision" ? dimensions.variant : dimensions[groupBy];
  const revisionOf = ({ dimensions }: Counted) =>
    groupBy === "revision" ? dimensions.revision : null;
  const groups = [
    ...Map.groupBy(counted, (each) => JSON.stringify([keyOf(each), revisionOf(each)])),
  ].sort(
    ([, [a, ...ofA]], [, [b, ...ofB]]) =>
      ofB.length - ofA.length ||
      nullsLast(keyOf(a!), keyOf(b!)) ||
      nullsLast(revisionOf(a!), revisionOf(b!)),
  );
  const shown = groups.slice(0, groupLimit);
  return {
    from: iso(from),
    to: iso(to),
    interval: interval.name,
    names: names.slice(0, MOST_NAMES).map(([name, own]) => ({
      name,
      ...told(own),
      labels: labelsOf(own),
      ...(groupBy !== null && {
        groups: shown.flatMap(([, inGroup]) => {
          const some = inGroup.filter(({ score }) => score.name === name);
          const [first] = some;
          if (first === undefined) return [];
          const revision = groupBy === "revision" && { revision: revisionOf(first) };
          return [{ key: keyOf(first), ...revision, ...told(some) }];
        }),
      }),
    })),
    names_left_out: Math.max(0, names.length - MOST_NAMES),
    ...(groupBy !== null && { groups_left_out: groups.length - shown.length }),
  };
}

function mostFirst<Item>(groups: ReadonlyMap<string, readonly Item[]>) {
  return [...groups].sort(
    ([a, ofA], [b, ofB]) => ofB.length - ofA.length || Buffer.compare(bytes(a), bytes(b)),
  );
}

const bytes = (text: string) => Buffer.from(text);

function nullsLast<Key extends string | number>(a: Key | null, b: Key | null): number {
  if (a === b) return 0;
  if (a === null || b === null) return a === null ? 1 : -1;
  return a < b ? -1 : 1;
}

function labelsOf(counted: readonly Counted[]): object[] {
  const labels = counted.flatMap(({ score }) => (score.status === "ok" ? (score.label ?? []) : []));
  return mostFirst(Map.groupBy(labels, (label) => label))
    .slice(0, MOST_LABELS)
    .map(([label, own]) => ({ label, count: own.length }));
}

function figures(counted: readonly Counted[]): object {
  const statuses = counted.map(({ score }) => score.status);
  const values = counted.flatMap(({ score }) => score.value ?? []);
  return {
    count: statuses.filter((status) => status === "ok").length,
    skipped: statuses.filter((status) => status === "skipped").length,
    failed: statuses.filter((status) => status === "failed").length,
    with_value: values.length,
    mean: values.length === 0 ? null : values.reduce((a, b) => a + b) / values.length,
  };
}
