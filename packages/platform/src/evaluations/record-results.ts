import type { NewRunResult, NewRunScore, RedactionRules, RunScore } from "@agate/protocol";
import { Redactor } from "@agate/spans/redaction";
import type { Registry } from "../registry/registry.ts";
import type { RegistryRefusal } from "../registry/registry-outcome.ts";
import type {
  KeptResults,
  ResultToAdd,
  RunRef,
  ScoredItem,
} from "../registry/runs/run-registry.ts";
import type { StoredScore } from "../stores/score-store.ts";
import type { SpanStore } from "../stores/span-store.ts";
import { toStoredScore } from "../stores/to-stored-score.ts";

/** Scores of results that are written to their traces at a time. */
const SCORES_PER_WRITE = 500;

export interface ResultsPlace {
  readonly registry: Pick<Registry, "runs">;
  readonly store: Pick<SpanStore, "putScores">;
  /** The redaction rules that a project has now, as JSON; null where it has none. */
  readonly redactionOf: (project: string) => string | null;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** A result whose score may be a yes or no. */
export type GivenResult = Omit<NewRunResult, "scores" | "trial"> & {
  readonly trial?: number | null | undefined;
  readonly scores?: readonly GivenScore[] | undefined;
};
type GivenScore = Omit<NewRunScore, "value" | "status"> & {
  readonly status?: RunScore["status"] | null | undefined;
  readonly value?: number | boolean | null | undefined;
};

export type RecordedResults =
  | { readonly kind: "recorded"; readonly kept: KeptResults }
  /** The run has the results; their traces lack the scores. To record them again writes them. */
  | { readonly kind: "unavailable"; readonly reason: string }
  | RegistryRefusal;

/** Adds results that a client sends to a run, and writes their scores to the traces. */
export async function recordResults(
  place: ResultsPlace,
  ref: RunRef,
  results: readonly GivenResult[],
): Promise<RecordedResults> {
  const added = resultsToAdd(place, ref, results);
  const outcome = await place.registry.runs.addResults(ref, added);
  if (outcome.kind === "refused") return outcome;
  // Those sent again are written again: the request before may have ended in between.
  const failed = await writeScores(place, ref, outcome.value.kept);
  return failed ?? { kind: "recorded", kept: outcome.value };
}

/** Results without what the project's rules hide. */
export function resultsToAdd(
  { redactionOf }: Pick<ResultsPlace, "redactionOf">,
  { project }: RunRef,
  results: readonly GivenResult[],
): readonly ResultToAdd[] {
  const rules = redactionOf(project);
  const redactor = rules === null ? null : new Redactor(JSON.parse(rules) as RedactionRules);
  return results.map((result) => resultToAdd(result, redactor));
}

/** Writes the scores of a run's items to their traces. Undefined where all were written. */
export async function writeScores(
  { store, now }: Pick<ResultsPlace, "store" | "now">,
  ref: RunRef,
  items: readonly ScoredItem[],
): Promise<{ readonly kind: "unavailable"; readonly reason: string } | undefined> {
  const scores = items.flatMap((item) => spanScores(item, { ...ref, receivedAt: now() * 1000 }));
  for (let first = 0; first < scores.length; first += SCORES_PER_WRITE) {
    const batch = scores.slice(first, first + SCORES_PER_WRITE);
    // A trace that has as many scores as it may takes none: the run has them all the same.
    const written = await store.putScores({ project: ref.project, scores: batch });
    if (written.kind === "unavailable") return { kind: "unavailable", reason: written.reason };
  }
  return undefined;
}

function resultToAdd(result: GivenResult, redactor: Redactor | null): ResultToAdd {
  const hidden = (text: string | null | undefined) =>
    (text && (redactor?.text(text) ?? text)) ?? null;
  const { output = null, scores = [] } = result;
  return {
    column: result.column,
    case: result.case,
    trial: result.trial ?? 0,
    status: result.status,
    // Redaction keeps JSON as it is but for what it hides.
    output: redactor === null ? output : JSON.parse(redactor.text(JSON.stringify(output))),
    error: hidden(result.error),
    trace_id: result.trace_id ?? null,
    span_id: result.span_id ?? null,
    latency_ms: result.latency_ms ?? null,
    cost: result.cost ?? null,
    judge_cost: result.judge_cost ?? null,
    scores: scores.map((score) => ({
      name: score.name,
      ...judgementOf(score),
      explanation: hidden(score.explanation),
      error: hidden(score.error),
      version: score.version ?? null,
    })),
  };
}

function judgementOf({
  status,
  value,
  label,
}: GivenScore): Pick<RunScore, "status" | "value" | "label"> {
  const word = typeof value === "boolean" ? (value ? "yes" : "no") : null;
  return {
    status: status ?? "ok",
    value: value === null || value === undefined ? null : Number(value),
    label: label ?? word,
  };
}

function spanScores(
  { trace_id, span_id, column, case: id, trial, scores, created_at }: ScoredItem,
  { project, run, receivedAt }: RunRef & { readonly receivedAt: number },
): StoredScore[] {
  if (trace_id === null) return [];
  const createdAt = Date.parse(created_at) * 1000;
  return scores.map(({ version, kind, ...score }) =>
    toStoredScore(
      {
        ...score,
        trace_id,
        span_id,
        source: { kind, evaluator: score.name, version, person: null },
        createdAt,
        run,
        case: id,
        column,
        trial,
        metadata: null,
      },
      { project, receivedAt, redact: (text) => text },
    ),
  );
}
