import type { CheckedRow, CheckFault } from "@agate/protocol/evaluator";
import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { DeclaredRoute } from "../app/app.ts";
import type { Evaluation } from "../evals/evaluation.ts";
import { checkInputs } from "../server/check-inputs.ts";
import { pathStep } from "../server/check-output.ts";

/** Checks cases by the input schema of the route and by the evaluation's schema of what is expected. */
export async function checkRows(
  { expected: schema }: Evaluation,
  { definition }: DeclaredRoute,
  rows: readonly CheckedRow[],
): Promise<CheckFault[]> {
  const faults: CheckFault[] = [];
  for (const { id, inputs, expected } of rows) {
    const read = await checkInputs(definition, inputs);
    faults.push(...faultsOf(id, "inputs", read));
    if (schema !== undefined) {
      faults.push(...faultsOf(id, "expected", await schema["~standard"].validate(expected)));
    }
  }
  return faults;
}

function faultsOf(
  id: string,
  part: "inputs" | "expected",
  { issues = [] }: StandardSchemaV1.Result<unknown>,
): CheckFault[] {
  return issues.map(({ path = [], message }) => ({
    id,
    path: [part, ...path.map(pathStep)],
    msg: message,
  }));
}
