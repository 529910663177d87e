import type { SeededRandom } from "../durability/seeded-random.ts";
import type { ModelScore } from "./model-score.ts";
import type { ModelSpan } from "./model-span.ts";

const NAMES = ["helpful", "safe", "a.b_c-1"];
/** Sums of these are exact, so that means are the same in any order. */
const VALUES = [0, 0.125, 0.25, 0.5, 1, 1, -7, 1e6];
const LABELS = ["yes", "no", "Ünsure", '"', "東京"];

/** A judgement of one of these spans, or of the trace, often one that was judged before. */
export function randomScore(random: SeededRandom, spans: readonly ModelSpan[]): ModelScore {
  const { traceId, spanId } = random.pick(spans);
  const maybe = <Value>(values: readonly Value[]) =>
    random.chance(0.2) ? random.pick(values) : null;
  const status = random.pick(["ok", "ok", "ok", "skipped", "failed"] as const);
  const isOk = status === "ok";
  const value = isOk && random.chance(0.8) ? random.pick(VALUES) : null;
  const label = isOk && (value === null || random.chance(0.4)) ? random.pick(LABELS) : null;
  return {
    traceId,
    spanId: random.chance(0.4) ? null : spanId,
    name: random.pick(NAMES),
    value,
    label,
    explanation: maybe(["because", "x".repeat(4_000), '東 "\u0000\\ 🤖']),
    status,
    error: isOk ? null : maybe(["timed out"]),
    source: {
      kind: random.pick(["code", "human", "end_user"]),
      evaluator: maybe(["judge"]),
      version: maybe(["1", "2"]),
      person: maybe(["ann"]),
    },
    createdAt: `2026-01-03T00:00:0${random.between(0, 3)}.00000${random.between(0, 3)}Z`,
    run: maybe(["r1"]),
    case: maybe(["one"]),
    column: maybe(["candidate"]),
    trial: maybe([0, 1]),
    metadata: maybe([{ samples: [0, null, { deep: "ä" }] }]),
  };
}

/** So many judgements of one trace, each of its own. */
export function manyScores(
  random: SeededRandom,
  spans: readonly ModelSpan[],
  count: number,
): ModelScore[] {
  return Array.from({ length: count }, (_, n) => {
    const score = randomScore(random, spans);
    return { ...score, source: { ...score.source, person: `person ${n}` } };
  });
}

/** The parameter `score`: mostly one that some trace meets. */
export function randomScoreCondition(random: SeededRandom): string {
  const name = random.pick([...NAMES, "other"]);
  const word = random.pick([":any", ":none", ":skipped", ":failed", null, null, null, null]);
  if (word !== null) return name + word;
  const value = random.pick(VALUES.map((each) => each.toFixed(3)));
  return `${name}${random.pick(["<", "<=", "=", ">=", ">"])}${value}`;
}
