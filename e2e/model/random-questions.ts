import type { SeededRandom } from "../durability/seeded-random.ts";
import { type AnalyticsQuestion, type Grouping, INTERVALS } from "./expected-analytics.ts";
import { latencyOf } from "./expected-record.ts";
import type { ScoreQuestion } from "./expected-score-analytics.ts";
import type { ModelSpan } from "./model-span.ts";
import type { Filter, FilterName, NaiveModel } from "./naive-model.ts";
import { LOG_WORD } from "./random-logs.ts";
import { randomScoreCondition } from "./random-scores.ts";
import { REPEATED, WORDS, wordOf } from "./random-spans.ts";

export const GROUPINGS: readonly Grouping[] = [
  "application",
  "route",
  "variant",
  "environment",
  "status",
  "spankind",
  "name",
  "user_id",
];

const NAMES: readonly FilterName[] = [
  ...GROUPINGS,
  "revision",
  "session_id",
  "run",
  "any_error",
  "min_latency",
  "min_cost",
  "from",
  "to",
];

/** Most buckets that an answer may have. */
const MOST_BUCKETS = 2_000;

/** Conditions that a span of the model meets, or nearly: each alone finds something. */
export function randomFilter(
  random: SeededRandom,
  spans: readonly ModelSpan[],
  mayHaveWords: boolean,
): Filter {
  const span = random.pick(spans);
  const filter: Record<string, string> = {};
  for (let n = random.between(0, 2); n > 0; n--) {
    const name = random.pick(NAMES);
    const value = conditionOf(span, name);
    if (value !== null) filter[name] = value;
  }
  // Both are the start of the span, and the server refuses a range of nothing.
  if (filter.from !== undefined) delete filter.to;
  if (random.chance(0.5)) filter.traffic = random.pick(["live", "evaluation", "all", "all"]);
  if (random.chance(0.3)) filter.score = randomScoreCondition(random);
  if (mayHaveWords && random.chance(0.6)) filter.q = randomSearch(random, span);
  return filter;
}

function conditionOf(span: ModelSpan, name: FilterName): string | null {
  switch (name) {
    case "variant":
      return span.variant?.name ?? span.variant?.id ?? null;
    case "revision":
      return span.revision === null ? null : String(span.revision);
    case "spankind":
      return span.kind ?? "UNKNOWN";
    case "user_id":
      return span.userId;
    case "session_id":
      return span.sessionId;
    case "min_latency":
      return String(latencyOf(span) ?? 1);
    case "min_cost":
      return String(span.figures?.cost ?? 0.5);
    case "from":
    case "to":
      return isoMicros(span.start);
    case "any_error":
      return String(span.status === "ERROR");
    case "run":
      return span.run ?? "r1";
    case "q":
    case "score":
    case "traffic":
      return null;
    default:
      return span[name];
  }
}

function randomSearch(random: SeededRandom, span: ModelSpan): string {
  const word = random.pick(WORDS);
  return random.pick([
    wordOf(span),
    LOG_WORD,
    `${word} ${LOG_WORD}`,
    `"user ${LOG_WORD}"`,
    word.toUpperCase(),
    `${word} ${random.pick(WORDS)}`,
    `"${word} ${random.pick(WORDS)}"`,
    `"${random.pick(REPEATED)}"`,
    `"${random.pick(REPEATED).split(" ").slice(-2).join(" ")}" ${wordOf(span)}`,
    `"${random.pick(REPEATED)} ${random.pick(REPEATED)}"`,
    `everyturn ${word} ${wordOf(span)}`,
    `"ship o*" ${random.pick(REPEATED)}`,
    "ref*",
    `${word.slice(0, 2)}*`,
    "京",
    "many15999",
    "l".repeat(400),
    "nowhere",
  ]);
}

/** Figures of a range around a trace, or of all of them. */
export function randomAnalytics(
  random: SeededRandom,
  model: NaiveModel,
  mayHaveWords: boolean,
): AnalyticsQuestion {
  const { spans } = model;
  const seconds = spans.map(({ start }) => Number(start / 1_000_000_000n));
  const isWhole = random.chance(0.5);
  const from = isWhole ? Math.min(...seconds) : random.pick(seconds) - random.between(0, 100);
  const to = isWhole ? Math.max(...seconds) + 1 : from + random.between(1, 4_000);
  const groupBy = random.chance(0.8) ? random.pick(GROUPINGS) : null;
  const groupLimit = random.pick([1, 2, 10]);
  const interval = random.pick(
    INTERVALS.filter(({ seconds: width }) => (to - from) / width + 2 <= MOST_BUCKETS),
  );
  const { from: _from, to: _to, ...filter } = randomFilter(random, spans, mayHaveWords);
  return { filter, from, to, interval, groupBy, groupLimit };
}

/** The same of scores. All groups together have at most twice as many buckets. */
export function randomScoreAnalytics(
  random: SeededRandom,
  model: NaiveModel,
  mayHaveWords: boolean,
): ScoreQuestion {
  const question = randomAnalytics(random, model, mayHaveWords);
  const { from, to, interval } = question;
  const buckets = (to - from) / interval.seconds + 2;
  const most = Math.floor((2 * MOST_BUCKETS) / buckets);
  return {
    ...question,
    groupBy: random.pick([question.groupBy, "revision"]),
    groupLimit: Math.min(question.groupLimit, most),
  };
}

/** With six fraction digits, in UTC. */
export function isoMicros(time: bigint): string {
  const micros = String((time / 1_000n) % 1_000_000n).padStart(6, "0");
  return `${new Date(Number(time / 1_000_000n)).toISOString().slice(0, 19)}.${micros}Z`;
}
