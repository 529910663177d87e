import type { NewRunResult, NewRunScore } from "@agate/protocol";
import type { EvaluationScore } from "@agate/protocol/evaluator";
import type { ItemResult } from "./run-item.ts";

/** The longest texts that the platform takes of a result, in characters. */
const LONGEST = { callError: 4_000, label: 100, explanation: 4_000, error: 1_000 };

/** A result as the platform takes it. */
export function resultBody(result: ItemResult): NewRunResult {
  const { column, case: row, trial, error, trace_id, span_id, latency, cost, judge_cost } = result;
  const call =
    error === null
      ? ({ status: "ok", output: result.output ?? null } as const)
      : ({ status: "error", error: cut(error, LONGEST.callError) } as const);
  return {
    column,
    case: row,
    trial,
    ...call,
    trace_id,
    span_id,
    latency_ms: latency,
    cost,
    judge_cost,
    scores: Object.entries(result.scores).map(([name, score]) => scoreBody(name, score)),
  };
}

function scoreBody(name: string, score: EvaluationScore): NewRunScore {
  const { status } = score;
  switch (status) {
    case "ok": {
      const { value, label, explanation } = score;
      return {
        name,
        status,
        value,
        ...(label !== undefined && { label: cut(label, LONGEST.label) }),
        ...(explanation !== undefined && { explanation: cut(explanation, LONGEST.explanation) }),
      };
    }
    case "skipped":
      return { name, status, error: cut(score.explanation, LONGEST.error) };
    case "failed":
      return { name, status, error: cut(score.error, LONGEST.error) };
  }
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

/** What a request holds at most: well below the body that a platform takes. */
export interface BatchLimits {
  readonly items: number;
  /** Characters of JSON. One item alone may have more. */
  readonly size: number;
}

/** Items in batches, in their order. Holds one batch at a time. */
export function* batchesOf<Item>(
  items: Iterable<Item>,
  limits: BatchLimits,
): Generator<readonly Item[]> {
  let batch: Item[] = [];
  let size = 0;
  for (const item of items) {
    const length = JSON.stringify(item).length;
    if (batch.length === limits.items || (batch.length > 0 && size + length > limits.size)) {
      yield batch;
      batch = [];
      size = 0;
    }
    batch.push(item);
    size += length;
  }
  if (batch.length > 0) yield batch;
}
