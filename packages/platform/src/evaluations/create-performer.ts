import type { ScorerConfigs } from "@agate/protocol";
import type { DeclaredEvaluation, ScoreRequest, ScoreResponse } from "@agate/protocol/evaluator";
import type { ColumnRole, RunItem } from "./run-item.ts";
import type { CallAttempt, ItemPerformer, ScoreAttempt } from "./run-items.ts";
import { type StoredOutputs, storedAttempt, withStoredScores } from "./stored-outputs.ts";

/** What a column of a run calls, and where the traces of its calls are. */
export type PerformedColumn =
  | {
      readonly kind: "called";
      /** As it was asked for: `env:production`. */
      readonly ref: string;
      call(item: RunItem): Promise<CallAttempt>;
      /** Whether the evaluator or its platform gets the traces. */
      readonly hasTraces: boolean;
    }
  /** The outputs of an earlier run, scored anew. */
  | { readonly kind: "stored"; readonly ref: string; readonly outputs: StoredOutputs };

export type PerformedColumns = Readonly<Partial<Record<ColumnRole, PerformedColumn>>>;

export interface PerformerOptions {
  /** Scores all columns: no column brings its own judge. */
  readonly scorer: { score(evaluation: string, given: ScoreRequest): Promise<ScoreResponse> };
  readonly evaluation: Pick<DeclaredEvaluation, "name" | "scorers">;
  /** Of the scorers, as the run is pinned to them. */
  readonly configs: ScorerConfigs;
  /** The run's id. */
  readonly run: string;
  readonly columns: PerformedColumns;
}

/** Makes the calls of a run by its columns; one evaluator gives all scores. */
export function createPerformer({
  scorer,
  evaluation,
  configs,
  run,
  columns,
}: PerformerOptions): ItemPerformer {
  const columnOf = ({ column }: RunItem): PerformedColumn => {
    const found = columns[column];
    if (found === undefined) throw new Error(`The run has no column ${column}.`);
    return found;
  };
  return {
    call(item) {
      const column = columnOf(item);
      return column.kind === "called" ? column.call(item) : storedAttempt(column, item);
    },
    async score(item, call, scorers): Promise<ScoreAttempt> {
      const { case: row, trial } = item;
      const column = columnOf(item);
      const made = await scorer.score(evaluation.name, {
        run,
        case: row.id,
        trial,
        column: column.ref,
        inputs: row.inputs,
        output: call.output,
        expected: row.expected,
        metadata: row.metadata,
        span: judgedSpan(column, call),
        scorers,
        configs,
      });
      if (column.kind === "called") return made;
      return withStoredScores(made, await column.outputs.find(row.id, trial), {
        before: column.outputs.scorers,
        now: evaluation.scorers,
      });
    },
  };
}

/** Null where neither the evaluator nor its platform has the call's trace. */
function judgedSpan(
  column: PerformedColumn,
  { trace_id, span_id }: CallAttempt,
): ScoreRequest["span"] {
  if (trace_id === null || span_id === null) return null;
  if (column.kind === "called") return column.hasTraces ? { trace_id, span_id } : null;
  return column.outputs.hasTraces ? { trace_id, span_id, is_stored: true } : null;
}
