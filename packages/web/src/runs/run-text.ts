import type {
  ColumnFigures,
  Run,
  RunColumn,
  RunResult,
  ScoreCounts,
  ScoreFigures,
} from "@agate/protocol";
import { formatScore } from "@agate/protocol/evaluations";
import { formatCost, formatCount, plural } from "@agate/protocol/format";
import type { Verdict } from "@agate/protocol/statistics";
import type { Tone } from "../design/tone.ts";

/** A word with the colour that it is shown in. */
export interface ToneText {
  readonly text: string;
  readonly tone: Tone;
}

const VERDICTS: Record<Verdict, ToneText> = {
  passed: { text: "Passed", tone: "success" },
  failed: { text: "Failed", tone: "danger" },
  undecided: { text: "Undecided", tone: "warning" },
  unscored: { text: "Not judged", tone: "warning" },
};

export function verdictText(verdict: Verdict): ToneText {
  return VERDICTS[verdict];
}

/** What has become of a run: its verdict, or, without one, why it has none. */
export function outcomeText({ status, verdict }: Pick<Run, "status" | "verdict">): ToneText {
  switch (status) {
    case "running":
      return { text: "Running", tone: "accent" };
    case "stopped":
      return { text: "Stopped", tone: "neutral" };
    case "failed":
      return { text: "Could not run", tone: "danger" };
    case "finished": {
      const found = verdict?.verdict;
      return found === undefined ? { text: "No gate", tone: "neutral" } : VERDICTS[found];
    }
  }
}

/**
 * What a run waits for that no server has begun to carry out. Its cases are loaded first; each server
 * carries out a few runs at a time. Null for any other run.
 */
export function waitText({
  status,
  runner,
  cases,
}: Pick<Run, "status" | "runner" | "cases">): string | null {
  const isWaiting = status === "running" && runner === "platform" && cases === 0;
  return isWaiting ? "Not begun yet: it starts when a server has room for it." : null;
}

/** @example progressText(run) // "50 of 400 calls, 2 failed" */
export function progressText({
  results,
  items,
  errors,
}: Pick<Run, "results" | "items" | "errors">): string {
  const done =
    results === items
      ? plural(items, "call")
      : `${formatCount(results)} of ${formatCount(items)} calls`;
  return errors === 0 ? done : `${done}, ${formatCount(errors)} failed`;
}

/**
 * What a run has cost so far. An amount that leaves calls or judges out is a lower bound.
 *
 * @example
 * costText({ calls: 0.12, unknown_calls: 2, judges: 0.03, unknown_judges: 0 }) // "at least $0.15"
 */
export function costText({ calls, unknown_calls, judges, unknown_judges }: Run["costs"]): string {
  const known = calls + judges;
  if (unknown_calls + unknown_judges === 0) return formatCost(known);
  return known === 0 ? "cost unknown" : `at least ${formatCost(known)}`;
}

/**
 * What a column's calls or judges have cost.
 *
 * @example partCostText({ total: 0, unknown: 6 }) // "6 unknown"
 */
export function partCostText({ total, unknown }: ColumnFigures["judge_cost"]): string {
  if (unknown === 0) return formatCost(total);
  const lacking = `${formatCount(unknown)} unknown`;
  return total === 0 ? lacking : `${formatCost(total)}, ${lacking}`;
}

/**
 * The mean of a score with what it leaves out. A score without any value has no mean, and no 0 either.
 *
 * @example countsText({ mean: 0.8, ok: 4, skipped: 1, failed: 2 }) // "0.800, 1 skipped, 2 failed"
 */
export function countsText({ mean, skipped, failed }: Omit<ScoreCounts, "ok">): string {
  return [
    formatScore(mean),
    ...(skipped === 0 ? [] : [`${formatCount(skipped)} skipped`]),
    ...(failed === 0 ? [] : [`${formatCount(failed)} failed`]),
  ].join(", ");
}

/** The candidate's mean of each score. */
export function candidateMeans(
  scores: readonly ScoreFigures[],
): readonly { readonly score: string; readonly text: string }[] {
  return scores.map(({ score, columns: [candidate] }) => ({
    score,
    text: formatScore(candidate?.mean ?? null),
  }));
}

/** @example columnText(column) // "default@9 · build 4" */
export function columnText({ ref, variant, revision, build }: RunColumn): string {
  const pinned = variant !== null && revision !== null ? `${variant}@${revision}` : null;
  return [
    ref,
    ...(pinned === null || pinned === ref ? [] : [pinned]),
    ...(build === null ? [] : [`build ${build.number}`]),
  ].join(" · ");
}

/** The cases' source: "golden, revision 3". */
export function testsetText({ kind, name, revision }: Run["testset"]): string {
  if (kind === "inline" || name === null) return "cases of the evaluation";
  return revision === null ? name : `${name}, revision ${revision}`;
}

/** One trial of a case: its results by column, in the order of the columns. */
export interface Trial {
  readonly trial: number;
  readonly results: readonly RunResult[];
}

/** The loaded results of a case, trial by trial. */
export function trialsOf(
  results: readonly RunResult[],
  columns: readonly Pick<RunColumn, "name">[],
): readonly Trial[] {
  const order = new Map(columns.map(({ name }, index) => [name, index]));
  const byTrial = Map.groupBy(results, ({ trial }) => trial);
  return [...byTrial]
    .sort(([one], [other]) => one - other)
    .map(([trial, own]) => ({
      trial,
      results: own.toSorted(
        (one, other) => (order.get(one.column) ?? 0) - (order.get(other.column) ?? 0),
      ),
    }));
}

/** An output as text, to be compared with another. */
export function outputText({ output }: Pick<RunResult, "output">): string {
  return typeof output === "string" ? output : JSON.stringify(output, null, 2);
}
