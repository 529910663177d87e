import { isSameJson } from "@agate/protocol";
import { ApiError } from "../../api/api-error.ts";
import type { ConfigValues } from "../../config-form/config-values.ts";
import { type FieldProblem, problemsFrom } from "../../config-form/field-problem.ts";
import type { Run } from "./run.ts";

/** The fields of a configuration that the workflow rejected and that have not been edited since. */
export function rejectedConfig(
  runs: readonly Run[],
  values: ConfigValues,
): readonly FieldProblem[] {
  return rejected(runs, "config", (problem, { config }) => {
    const field = problem.path[0];
    return field === undefined
      ? isSameJson(config, values)
      : isSameJson(config[field], values[field]);
  });
}

/** The inputs that the workflow rejected, if they have not been edited since. */
export function rejectedInputs(runs: readonly Run[], inputs: unknown): readonly FieldProblem[] {
  return rejected(runs, "inputs", (_problem, request) => isSameJson(request.inputs, inputs));
}

function rejected(
  runs: readonly Run[],
  part: "config" | "inputs",
  isCurrent: (problem: FieldProblem, request: Run["request"]) => boolean,
): readonly FieldProblem[] {
  const problems = runs.flatMap(({ error, request }) =>
    error instanceof ApiError && error.status === 422
      ? problemsFrom(error, part).mine.filter((problem) => isCurrent(problem, request))
      : [],
  );
  // Several columns or cases may be rejected for the same reason: show it once.
  return problems.filter(
    (problem, index) => problems.findIndex((other) => isSameJson(other, problem)) === index,
  );
}
