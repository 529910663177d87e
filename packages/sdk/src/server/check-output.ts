import type { ErrorDetail } from "@agate/protocol";
import type { StandardSchemaV1 } from "@standard-schema/spec";
import { messageOf } from "../tracing/message-of.ts";
import { pathStep } from "./path-step.ts";

/** What a function returned does not satisfy its own declaration. */
export class OutputError extends Error {
  override readonly name = "OutputError";
  readonly detail: readonly ErrorDetail[];

  constructor(detail: readonly ErrorDetail[]) {
    super(detail.map(({ msg }) => msg).join(" "));
    this.detail = detail;
  }
}

/**
 * The value as the schema has it; a promise where the schema is async.
 *
 * @throws OutputError when the value does not satisfy the schema.
 */
export function checkOutput(
  schema: StandardSchemaV1 | undefined,
  value: unknown,
  what: "output" | "chunk",
): unknown {
  if (schema === undefined) return value;
  const result = schema["~standard"].validate(value);
  return result instanceof Promise
    ? result.then((settled) => checkedValue(settled, what))
    : checkedValue(result, what);
}

function checkedValue(result: StandardSchemaV1.Result<unknown>, what: "output" | "chunk"): unknown {
  if (result.issues === undefined) return result.value;
  throw new OutputError(
    result.issues.map(({ path = [], message }) => ({
      loc: [what, ...path.map(pathStep)],
      msg: `The function's ${what} does not satisfy the route's schema: ${message}`,
      type: "output_invalid",
    })),
  );
}

/** The JSON of what a function returned; a function that returns nothing answers `null`. */
export function outputText(value: unknown, what: "output" | "chunk"): string {
  try {
    return JSON.stringify(value) ?? "null";
  } catch (error) {
    const msg = `The function's ${what} cannot be written as JSON: ${messageOf(error)}`;
    throw new OutputError([{ loc: [what], msg, type: "output_invalid" }]);
  }
}
