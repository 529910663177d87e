import { isSameJson } from "@agate/protocol";
import { ApiError } from "../../api/api-error.ts";
import type { ConfigValues } from "../../config-form/config-values.ts";
import { type FieldProblem, problemsFrom } from "../../config-form/field-problem.ts";
import type { Run } from "./run.ts";

/**
 * What the workflow has refused of a configuration: of the fields that are still as they were sent.
 */
export function configProblems(
  runs: readonly Run[],
  values: ConfigValues,
): readonly FieldProblem[] {
  return refusals(runs, "config", (problem, { config }) => {
    const field = problem.path[0];
    return field === undefined
      ? isSameJson(config, values)
      : isSameJson(config[field], values[field]);
  });
}

/** What the workflow has refused of inputs that are still as they were sent. */
export function inputProblems(runs: readonly Run[], inputs: unknown): readonly FieldProblem[] {
  return refusals(runs, "inputs", (_problem, request) => isSameJson(request.inputs, inputs));
}

function refusals(
  runs: readonly Run[],
  part: "config" | "inputs",
  isCurrent: (problem: FieldProblem, request: Run["request"]) => boolean,
): readonly FieldProblem[] {
  const problems = runs.flatMap(({ error, request }) =>
    error instanceof ApiError && error.status === 422
      ? problemsFrom(error, part).mine.filter((problem) => isCurrent(problem, request))
      : [],
  );
  // Every column, or every case, is refused for the same reason.
  return problems.filter(
    (problem, index) => problems.findIndex((other) => isSameJson(other, problem)) === index,
  );
}
