import type { RedactionRules, RunScore } from "@agate/protocol";
import { Redactor } from "@agate/spans/redaction";
import * as z from "zod/mini";
import type { Registry } from "../../../registry/registry.ts";
import type { ResultToAdd, RunRef, ScoredItem } from "../../../registry/runs/run-registry.ts";
import type { StoredScore } from "../../../stores/score-store.ts";
import type { SpanStore } from "../../../stores/span-store.ts";
import { toStoredScore } from "../../../stores/to-stored-score.ts";
import type { Answer, Problem } from "../../answer.ts";
import { opaqueAnswer, problemsAnswer } from "../../answer.ts";
import { choice, name } from "../../inputs/input-kinds.ts";
import type { Route } from "../../route.ts";
import { success } from "../../route.ts";
import { outcomeAnswer, pageOf, pageQuery, registryRoute } from "../registry/registry-route.ts";
import { newCases, newResults, type ResultInput } from "./run-inputs.ts";
import { READS_RUNS, RUN } from "./runs.ts";

const RETRY_AFTER_SECONDS = "5";
/** Scores of results that are written to their traces at a time. */
const SCORES_PER_WRITE = 500;

export interface RunItemDependencies {
  readonly registry: Pick<Registry, "runs">;
  readonly store: Pick<SpanStore, "putScores">;
  /** The redaction rules that a project has now, as JSON; null where it has none. */
  readonly redactionOf: (project: string) => string | null;
  readonly maxBodyBytes: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly onStoreUnavailable: (reason: string) => void;
}

/** Cases and results of a run. */
export function runItemRoutes(dependencies: RunItemDependencies): Route[] {
  return [...caseRoutes(dependencies), ...resultRoutes(dependencies)];
}

function caseRoutes({ registry: { runs }, maxBodyBytes }: RunItemDependencies): Route[] {
  return [
    registryRoute(maxBodyBytes, {
      method: "GET",
      path: `${RUN}/cases`,
      access: READS_RUNS,
      tag: "evaluations",
      id: "listRunCases",
      summary: "List the cases of a run",
      description:
        "With what came of each in each column, in the order that they were added in. A page ends at 8 MiB.",
      query: () =>
        z.object({
          ...pageQuery("cases").shape,
          worse: z.optional(
            choice(
              {
                description:
                  "`true`: only cases where the candidate scores worse than the baseline, worst first; before them those where it lacks a value that the baseline has.",
              },
              ["true", "false"],
            ),
          ),
          score: z.optional(name({ description: "With `worse`: the score that counts." })),
        }),
      success: success("RunCaseList", "One page. `next_cursor` is null on the last."),
      errors: ["cursor_invalid"],
      answer: async ({ caller, params, query }, reply) => {
        const ref = { project: caller.project, run: params.run };
        const filter = { worse: query.worse === "true", score: query.score ?? null };
        const page = { limit: query.limit, after: query.cursor ?? null };
        return outcomeAnswer(await runs.cases(ref, filter, page), (listed) =>
          reply(pageOf("cases", listed)),
        );
      },
    }),
    registryRoute(maxBodyBytes, {
      method: "POST",
      path: `${RUN}/cases`,
      access: "evaluate",
      tag: "evaluations",
      id: "addRunCases",
      summary: "Add cases to a run",
      description:
        "1 to 500 at a time, before their results. The first case of an id stays: the request can be sent again. A run has at most 50,000 cases, and 300,000 calls.",
      body: newCases,
      success: success("AddedCases", "How many were new."),
      errors: ["run_ended", "run_invalid"],
      answer: async ({ caller, params, body }, reply) =>
        outcomeAnswer(
          await runs.addCases({ project: caller.project, run: params.run }, body.cases),
          reply,
        ),
    }),
  ];
}

function resultRoutes(dependencies: RunItemDependencies): Route[] {
  const { registry, redactionOf, maxBodyBytes } = dependencies;
  const { runs } = registry;
  return [
    registryRoute(maxBodyBytes, {
      method: "GET",
      path: `${RUN}/results`,
      access: READS_RUNS,
      tag: "evaluations",
      id: "listRunResults",
      summary: "List the results of a run",
      description: "With their outputs, by case, column and trial. A page ends at 8 MiB.",
      query: () =>
        z.object({
          ...pageQuery("results").shape,
          column: z.optional(name({ description: "Only results of this column." })),
          case: z.optional(name({ description: "Only results of the case of this id." })),
        }),
      success: success("RunResultList", "One page. `next_cursor` is null on the last."),
      errors: ["cursor_invalid"],
      answer: async ({ caller, params, query }, reply) => {
        const ref = { project: caller.project, run: params.run };
        const filter = { column: query.column ?? null, case: query.case ?? null };
        const page = { limit: query.limit, after: query.cursor ?? null };
        return outcomeAnswer(await runs.results(ref, filter, page), (listed) =>
          reply(pageOf("results", listed)),
        );
      },
    }),
    registryRoute(maxBodyBytes, {
      method: "POST",
      path: `${RUN}/results`,
      access: "evaluate",
      tag: "evaluations",
      id: "addRunResults",
      summary: "Add results to a run",
      description:
        "1 to 500 at a time: one for each column, case and trial. The first result of an item stays: the request can be sent again. Scores are also written to the traces that results name. The project's redaction rules hold for outputs, errors and explanations.",
      body: newResults,
      success: success("AddedResults", "How many were new, and which were ignored."),
      errors: ["run_ended", "run_invalid"],
      answer: async ({ caller, params, body }, reply) => {
        const problems = body.results.flatMap(scoreProblems);
        const [first, ...others] = problems;
        if (first !== undefined) return problemsAnswer([first, ...others]);
        const rules = redactionOf(caller.project);
        const redactor = rules === null ? null : new Redactor(JSON.parse(rules) as RedactionRules);
        const ref = { project: caller.project, run: params.run };
        const outcome = await runs.addResults(
          ref,
          body.results.map((result) => resultOf(result, redactor)),
        );
        if (outcome.kind === "refused") return problemsAnswer(outcome.problems);
        const { added, ignored, kept } = outcome.value;
        // What was sent again is written again: the request before may have ended in between.
        return (await writeScores(dependencies, ref, kept)) ?? reply({ added, ignored });
      },
    }),
  ];
}

/** A value, and only that, makes a score `ok`. */
function scoreProblems({ scores }: ResultInput, index: number): Problem[] {
  return scores.flatMap(({ status, value }, at): Problem[] => {
    const isOk = (status ?? "ok") === "ok";
    if (isOk === (value !== null)) return [];
    const msg = isOk
      ? "Must be given where the status is ok."
      : `Must be left out where the status is ${status}.`;
    const loc = ["body", "results", index, "scores", at, "value"];
    return [{ type: "run_invalid", loc, msg }];
  });
}

function resultOf(result: ResultInput, redactor: Redactor | null): ResultToAdd {
  const hidden = (text: string | null) => text && (redactor?.text(text) ?? text);
  const { output = null, error, scores, trial } = result;
  return {
    ...result,
    trial: trial ?? 0,
    // Redaction keeps JSON as it is but for what it hides.
    output: redactor === null ? output : JSON.parse(redactor.text(JSON.stringify(output))),
    error: hidden(error),
    scores: scores.map((score) => ({
      ...score,
      ...judgementOf(score),
      explanation: hidden(score.explanation),
      error: hidden(score.error),
    })),
  };
}

function judgementOf({
  status,
  value,
  label,
}: ResultInput["scores"][number]): Pick<RunScore, "status" | "value" | "label"> {
  const word = typeof value === "boolean" ? (value ? "yes" : "no") : null;
  return {
    status: status ?? "ok",
    value: value === null ? null : Number(value),
    label: label ?? word,
  };
}

/** The scores of traces have those of the run, too. Undefined where all were written. */
async function writeScores(
  { store, now, onStoreUnavailable }: RunItemDependencies,
  { project, run }: RunRef,
  kept: readonly ScoredItem[],
): Promise<Answer | undefined> {
  const receivedAt = now() * 1000;
  const scores = kept.flatMap((item) => spanScores(item, { project, run, receivedAt }));
  for (let first = 0; first < scores.length; first += SCORES_PER_WRITE) {
    const batch = scores.slice(first, first + SCORES_PER_WRITE);
    // A trace that has as many scores as it may takes none: the run has them all the same.
    const outcome = await store.putScores({ project, scores: batch });
    if (outcome.kind !== "unavailable") continue;
    onStoreUnavailable(outcome.reason);
    return opaqueAnswer("store_unavailable", { "retry-after": RETRY_AFTER_SECONDS });
  }
  return undefined;
}

function spanScores(
  { trace_id, span_id, column, case: id, trial, scores, created_at }: ScoredItem,
  { project, run, receivedAt }: RunRef & { readonly receivedAt: number },
): StoredScore[] {
  if (trace_id === null) return [];
  const createdAt = Date.parse(created_at) * 1000;
  return scores.map(({ version, ...score }) =>
    toStoredScore(
      {
        ...score,
        trace_id,
        span_id,
        source: { kind: "code", evaluator: score.name, version, person: null },
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
