import type { ErrorDetail } from "@agate/protocol";
import type { StandardSchemaV1 } from "@standard-schema/spec";
import { messageOf } from "../tracing/describe-thrown.ts";

/** What a function returned does not satisfy its own declaration. */
export class OutputError extends Error {
  override readonly name = "OutputError";
  readonly detail: readonly ErrorDetail[];
  readonly #value: unknown;

  constructor(detail: readonly ErrorDetail[], value?: unknown) {
    super(detail.map(({ msg }) => msg).join(" "));
    this.detail = detail;
    this.#value = value;
  }

  /** Unlike `instanceof`, it runs no code of what was thrown. */
  static isInstance(thrown: unknown): thrown is OutputError {
    return typeof thrown === "object" && thrown !== null && #value in thrown;
  }

  /** What was returned. Not a field: the value is not for a log that prints the error. */
  get value(): unknown {
    return this.#value;
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
    ? result.then((settled) => checkedValue(settled, value, what))
    : checkedValue(result, value, what);
}

function checkedValue(
  result: StandardSchemaV1.Result<unknown>,
  value: unknown,
  what: "output" | "chunk",
): unknown {
  if (result.issues === undefined) return result.value;
  throw new OutputError(
    result.issues.map(({ path = [], message }) => ({
      loc: [what, ...path.map(pathStep)],
      msg: `The function's ${what} does not satisfy the route's schema: ${message}`,
      type: "output_invalid",
    })),
    value,
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

/** What a function may return to be streamed. */
export type Stream = AsyncIterable<unknown> | IterableIterator<unknown>;

/**
 * Whether a function's result is to be streamed. Strings, lists, Maps and Sets can be iterated too,
 * but are values; only iterators (what generators return) and async iterables are streams.
 */
export function isStream(value: unknown): value is Stream {
  if (typeof value !== "object" || value === null) return false;
  if (Symbol.asyncIterator in value) return true;
  return Symbol.iterator in value && "next" in value && typeof value.next === "function";
}

/** A step of a Standard Schema issue's path, as the error body writes it. */
export function pathStep(step: PropertyKey | StandardSchemaV1.PathSegment): string | number {
  const key = typeof step === "object" ? step.key : step;
  return typeof key === "number" ? key : String(key);
}
