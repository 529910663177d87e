import type { ErrorDetail } from "@agate/protocol";
import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { RouteDefinition } from "../routes/route-table.ts";
import { pathStep } from "./check-output.ts";

/** Reads inputs by the route's schema. */
export function checkInputs(
  { input: schema, absentInput }: Pick<RouteDefinition, "input" | "absentInput">,
  inputs: unknown,
): StandardSchemaV1.Result<unknown> | Promise<StandardSchemaV1.Result<unknown>> {
  if (schema === undefined) return { value: inputs === undefined ? absentInput() : inputs };
  return inputs === undefined ? checkAbsentInput(schema) : schema["~standard"].validate(inputs);
}

/** A schema that refuses `undefined` is asked for `{}`: its issues then name the fields that are missing. */
async function checkAbsentInput(
  schema: StandardSchemaV1,
): Promise<StandardSchemaV1.Result<unknown>> {
  const absent = await schema["~standard"].validate(undefined);
  return absent.issues === undefined ? absent : schema["~standard"].validate({});
}

/** What is wrong with inputs, as an error tells it. */
export async function inputProblems(
  route: RouteDefinition,
  inputs: unknown,
): Promise<ErrorDetail[]> {
  const { issues } = await checkInputs(route, inputs);
  return issues === undefined ? [] : inputDetails(issues);
}

/** A schema's issues with inputs, as an error tells them. */
export function inputDetails(issues: readonly StandardSchemaV1.Issue[]): ErrorDetail[] {
  return issues.map(({ path = [], message }) => ({
    loc: ["body", "inputs", ...path.map(pathStep)],
    msg: message,
    type: "input_invalid",
  }));
}
