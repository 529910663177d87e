import type { EvaluationScore, ScorerIdentity } from "@agate/protocol/evaluator";
import type { ItemResult, RunItem } from "./run-item.ts";
import type { CallAttempt, ScoreAttempt } from "./run-items.ts";

/** The candidate's outputs of an earlier run. */
export interface StoredOutputs {
  /** Version by scorer, of the earlier run. */
  readonly scorers: Readonly<Record<string, string | null>>;
  /** Whether the evaluator can read the traces of the earlier calls. */
  readonly hasTraces: boolean;
  find(row: string, trial: number): StoredOutput | undefined | Promise<StoredOutput | undefined>;
}

export type StoredOutput = Pick<
  ItemResult,
  "output" | "error" | "trace_id" | "span_id" | "latency" | "scores"
>;

const NO_FIGURES = { trace_id: null, span_id: null, latency: null, cost: 0 } as const;

/** What the earlier run has of an item. It costs nothing now. */
export async function storedAttempt(
  { ref, outputs }: { readonly ref: string; readonly outputs: StoredOutputs },
  { case: row, trial }: RunItem,
): Promise<CallAttempt> {
  const found = await outputs.find(row.id, trial);
  if (found === undefined) {
    return { ...NO_FIGURES, error: `${ref} has no output of this case and trial.` };
  }
  const { output, error, trace_id, span_id, latency } = found;
  return { output, error, trace_id, span_id, latency, cost: 0 };
}

/**
 * The trace of a stored output may be gone. A score that fails for it is the one of the earlier run,
 * where the same version of the scorer has given it.
 */
export function withStoredScores(
  made: ScoreAttempt,
  stored: Pick<StoredOutput, "scores"> | undefined,
  versions: {
    readonly before: StoredOutputs["scorers"];
    readonly now: readonly ScorerIdentity[];
  },
): ScoreAttempt {
  const scores: Record<string, EvaluationScore> = { ...made.scores };
  for (const { name, version } of versions.now) {
    const before = stored?.scores[name];
    const isSame = versions.before[name] === version;
    if (scores[name]?.status === "failed" && before?.status === "ok" && isSame) {
      scores[name] = before;
    }
  }
  return { ...made, scores };
}
