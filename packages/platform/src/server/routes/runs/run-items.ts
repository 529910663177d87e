import * as z from "zod/mini";
import { type ResultsPlace, recordResults } from "../../../evaluations/record-results.ts";
import type { Problem } from "../../answer.ts";
import { opaqueAnswer, problemsAnswer } from "../../answer.ts";
import { choice, name } from "../../inputs/input-kinds.ts";
import type { Route } from "../../route.ts";
import { success } from "../../route.ts";
import { outcomeAnswer, pageOf, pageQuery, registryRoute } from "../registry/registry-route.ts";
import { newCases, newResults, type ResultInput } from "./run-inputs.ts";
import { READS_RUNS, RUN } from "./runs.ts";

const RETRY_AFTER_SECONDS = "5";

export interface RunItemDependencies extends ResultsPlace {
  readonly maxBodyBytes: number;
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
  const { registry, maxBodyBytes } = dependencies;
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
        const ref = { project: caller.project, run: params.run };
        const recorded = await recordResults(dependencies, ref, body.results);
        switch (recorded.kind) {
          case "refused":
            return problemsAnswer(recorded.problems);
          case "unavailable":
            dependencies.onStoreUnavailable(recorded.reason);
            return opaqueAnswer("store_unavailable", { "retry-after": RETRY_AFTER_SECONDS });
          case "recorded": {
            const { added, ignored } = recorded.kept;
            return reply({ added, ignored });
          }
        }
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
