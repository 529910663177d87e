import type {
  CallAttempt,
  CallTarget,
  ColumnRole,
  EvaluatorClient,
  ItemPerformer,
  RunItem,
  ScoreAttempt,
} from "@agate/platform/evaluations";
import { isRecord } from "@agate/protocol";
import type { DeclaredEvaluation } from "@agate/protocol/evaluator";
import type { ReadRun } from "./kept-run.ts";

/** Where the outputs of a column come from. */
export type RunColumn =
  /** This code, with its own configuration or with one of the platform's. */
  | {
      readonly kind: "code";
      /** As it was asked for: `env:production`. */
      readonly ref: string;
      /** With the revision that it is pinned to. */
      readonly label: string;
      readonly target: CallTarget;
    }
  /** An application that runs elsewhere. */
  | { readonly kind: "url"; readonly label: string; readonly url: string }
  /** The outputs of an earlier run, scored anew. */
  | { readonly kind: "stored"; readonly label: string; readonly run: ReadRun };

export type RunColumns = Readonly<Partial<Record<ColumnRole, RunColumn>>>;

/** How spans and platforms name a column: as it was asked for. */
export function refOf(column: RunColumn): string {
  return column.kind === "code" ? column.ref : column.label;
}

interface PerformerOptions {
  readonly client: EvaluatorClient;
  readonly evaluation: DeclaredEvaluation;
  readonly run: string;
  readonly columns: RunColumns;
}

/** Makes the calls of a run by its columns; all scores are the evaluator's. */
export function createPerformer(options: PerformerOptions): ItemPerformer {
  const { client, evaluation, run, columns } = options;
  const callers = Object.fromEntries(
    Object.entries(columns).map(([role, column]) => [role, callerOf(column, options)]),
  ) as Partial<Record<ColumnRole, (item: RunItem) => Promise<CallAttempt>>>;
  return {
    async call(item) {
      const call = callers[item.column];
      if (call === undefined) throw new Error(`The run has no column ${item.column}.`);
      return call(item);
    },
    async score(item, { output, trace_id, span_id }, scorers) {
      const { case: row, trial } = item;
      const column = columns[item.column];
      // A trace that this process did not collect is not there to be asked for.
      const isOwn = column?.kind === "code" && trace_id !== null && span_id !== null;
      const made = await client.score(evaluation.name, {
        run,
        case: row.id,
        trial,
        column: column && refOf(column),
        inputs: row.inputs,
        output,
        expected: row.expected,
        metadata: row.metadata,
        span: isOwn ? { trace_id, span_id } : null,
        scorers,
      });
      return column?.kind === "stored" ? withStored(made, item, column.run, evaluation) : made;
    },
  };
}

function callerOf(
  column: RunColumn,
  { client, evaluation: { route }, run }: PerformerOptions,
): (item: RunItem) => Promise<CallAttempt> {
  switch (column.kind) {
    case "code":
      return ({ case: row, trial }) =>
        client.call(
          route,
          row.inputs,
          { run, case: row.id, trial, column: column.ref },
          column.target,
        );
    case "url":
      return ({ case: row }) => callElsewhere(column.url, route, row.inputs);
    case "stored":
      return async ({ case: row, trial }) => storedAttempt(column, row.id, trial);
  }
}

/**
 * The trace of a stored output may be gone. A score that fails for it is the one of the earlier run,
 * where the same version of the scorer has given it.
 */
function withStored(
  made: ScoreAttempt,
  { case: row, trial }: RunItem,
  run: ReadRun,
  { scorers }: DeclaredEvaluation,
): ScoreAttempt {
  const stored = run.find(row.id, trial)?.scores ?? {};
  const scores = { ...made.scores };
  for (const { name, version } of scorers) {
    const before = stored[name];
    const isSame = run.header.scorers[name] === version;
    if (scores[name]?.status === "failed" && before?.status === "ok" && isSame) {
      scores[name] = before;
    }
  }
  return { ...made, scores };
}

const NO_FIGURES = { trace_id: null, span_id: null, latency: null, cost: 0 } as const;

/** The candidate's output of an earlier run. It costs nothing now. */
function storedAttempt(
  { label, run }: Extract<RunColumn, { kind: "stored" }>,
  row: string,
  trial: number,
): CallAttempt {
  const found = run.find(row, trial);
  if (found === undefined) {
    return { ...NO_FIGURES, error: `${label} has no output of this case and trial.` };
  }
  const { output, error, trace_id, span_id, latency } = found;
  return { output, error, trace_id, span_id, latency, cost: 0 };
}

/** Calls a route of an application that runs elsewhere: its cost is not known here. */
async function callElsewhere(url: string, route: string, inputs: unknown): Promise<CallAttempt> {
  const began = performance.now();
  const figures = { trace_id: null, span_id: null, latency: null, cost: null } as const;
  try {
    const response = await fetch(`${url}/run${route === "/" ? "" : route}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ inputs }),
    });
    const latency = performance.now() - began;
    const body: unknown = await response.json();
    if (response.ok && isRecord(body))
      return { ...figures, latency, output: body.data, error: null };
    const retryAfter = Number(response.headers.get("retry-after") ?? Number.NaN);
    const isBusy = [429, 503, 529].includes(response.status);
    const retryAfterMs = retryAfter >= 0 ? retryAfter * 1000 : undefined;
    return {
      ...figures,
      error: `${url} answered ${response.status}: ${messageIn(body)}`,
      ...(isBusy && { overload: { retryAfterMs } }),
    };
  } catch (error) {
    const { message, cause } = error as Error;
    return { ...figures, error: cause instanceof Error ? `${message}: ${cause.message}` : message };
  }
}

function messageIn(body: unknown): string {
  const detail: unknown = isRecord(body) ? body.detail : undefined;
  const texts = Array.isArray(detail)
    ? detail.map((each) => (isRecord(each) ? each.msg : each))
    : [];
  return texts.length > 0 ? texts.join(" ") : "no reason was given";
}
