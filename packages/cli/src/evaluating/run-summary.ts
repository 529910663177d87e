import type { ItemResult, RunCase } from "@agate/platform/evaluations";
import type { RunFigures } from "@agate/protocol";
import type { RunTally, TalliedResult } from "@agate/protocol/evaluations";
import type { RunGates, RunVerdict } from "@agate/protocol/statistics";

/** A case on which a score of the candidate is lower than the baseline's, or not there. */
export interface WorseCase {
  readonly case: string;
  readonly score: string;
  readonly candidate: number | null;
  readonly baseline: number | null;
}

/** The verdict of a run, and every figure that a report shows. */
export interface RunSummary extends RunVerdict {
  readonly figures: RunFigures;
  /** In US dollars, and how often it is unknown. */
  readonly judges: { readonly spent: number; readonly unknown: number };
  /** The worst first. */
  readonly worse: readonly WorseCase[];
}

export function summariseRun(
  tally: RunTally,
  cases: readonly RunCase[],
  gate: RunGates | null,
  unknownJudges: number,
): RunSummary {
  const figures = tally.figures();
  const spent = figures.columns.reduce((sum, { judge_cost }) => sum + judge_cost.total, 0);
  return {
    ...tally.judge(gate ?? {}),
    figures,
    judges: { spent, unknown: unknownJudges },
    worse: figures.scores
      .flatMap(({ score }) => worseCases(tally, cases, score))
      .sort((one, other) => loss(other) - loss(one)),
  };
}

function worseCases(tally: RunTally, cases: readonly RunCase[], score: string): WorseCase[] {
  return tally.worse(score).map(({ case: index }) => {
    const [candidate, baseline] = tally
      .caseColumns(index)
      .map(({ scores }) => scores[score]?.mean ?? null);
    return {
      case: cases[index]?.id ?? "",
      score,
      candidate: candidate ?? null,
      baseline: baseline ?? null,
    };
  });
}

/** A value that is missing counts as the worst. */
function loss({ candidate, baseline }: WorseCase): number {
  return (baseline ?? 0) - (candidate ?? -1);
}

/** What counts of a result. */
export function tallied(result: ItemResult): TalliedResult {
  const { error, latency, cost, judge_cost: judgeCost } = result;
  const outcomes = Object.entries(result.scores).map(
    ([name, score]) => [name, score.status === "ok" ? score.value : score.status] as const,
  );
  return {
    status: error === null ? "ok" : "error",
    latency,
    cost,
    judgeCost,
    outcomes: Object.fromEntries(outcomes),
  };
}
