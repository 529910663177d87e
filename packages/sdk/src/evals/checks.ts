import { isRecord, shownValue } from "@agate/protocol";
import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { ScoreObject } from "./scorer-result.ts";
import type { Judged } from "./scorer-types.ts";
import { madeOf } from "./scorer-version.ts";
import { textSimilarity } from "./text-similarity.ts";
import { type ToolCall, toolCalls } from "./tool-calls.ts";

/** Which part of the output, and of what the case expects, a check looks at; all of it unless given. */
export interface CheckOptions<Output = unknown, Expected = unknown> {
  readonly output?: ((output: Output) => unknown) | undefined;
  readonly expected?: ((expected: Expected) => unknown) | undefined;
}

interface Compared<Output, Expected> {
  readonly output: Output;
  readonly expected: Expected;
}

/** The output is the same JSON as what the case expects. */
function equals<Output = unknown, Expected = unknown>(
  options: CheckOptions<Output, Expected> = {},
): (judged: Compared<Output, Expected>) => ScoreObject {
  return (judged) => {
    const { output, expected } = partsOf(judged, options);
    return { value: jsonOf(output) === jsonOf(expected) };
  };
}

/** The output has these texts, or those that the case expects. */
function contains<Output = unknown, Expected = unknown>(
  texts?: string | readonly string[],
  options: CheckOptions<Output, Expected> = {},
): (judged: Compared<Output, Expected>) => ScoreObject {
  return (judged) => {
    const { output, expected } = partsOf(judged, options);
    const text = textOf("output", output);
    const wanted = [texts ?? expected].flat().map((each) => textOf("expected text", each));
    const missing = wanted.filter((each) => !text.includes(each));
    return missing.length === 0
      ? { value: true }
      : { value: false, explanation: `Missing: ${missing.map(shownValue).join(", ")}` };
  };
}

/** The output, a text, matches a pattern. */
function matches<Output = unknown>(
  pattern: RegExp,
  options: Pick<CheckOptions<Output>, "output"> = {},
): (judged: { readonly output: Output }) => ScoreObject {
  // With these flags a pattern starts where its last match ended: trials would differ.
  const stateless = new RegExp(pattern.source, pattern.flags.replaceAll(/[gy]/g, ""));
  return ({ output }) => ({
    value: stateless.test(textOf("output", options.output ? options.output(output) : output)),
  });
}

/** The output fits a schema of zod, Valibot, ArkType or the like. */
function matchesSchema<Output = unknown>(
  schema: StandardSchemaV1,
  options: Pick<CheckOptions<Output>, "output"> = {},
): (judged: { readonly output: Output }) => Promise<ScoreObject> {
  return async ({ output }) => {
    const value = options.output ? options.output(output) : output;
    const { issues } = await schema["~standard"].validate(value);
    if (issues === undefined) return { value: true };
    return { value: false, explanation: issues.map(({ message }) => message).join("; ") };
  };
}

/** How much of their pairs of letters the output and the expected text share: from 0 to 1. */
function similarity<Output = unknown, Expected = unknown>(
  options: CheckOptions<Output, Expected> = {},
): (judged: Compared<Output, Expected>) => number {
  return (judged) => {
    const { output, expected } = partsOf(judged, options);
    return textSimilarity(textOf("output", output), textOf("expected text", expected));
  };
}

/** The output, a number, differs from the expected one by at most this. */
function within<Output = unknown, Expected = unknown>(
  tolerance: number,
  options: CheckOptions<Output, Expected> = {},
): (judged: Compared<Output, Expected>) => ScoreObject {
  return (judged) => {
    const { output, expected } = partsOf(judged, options);
    const difference = Math.abs(numberOf("output", output) - numberOf("expected value", expected));
    return { value: difference <= tolerance, explanation: `Differs by ${difference}` };
  };
}

type Traced = Pick<Judged, "trace">;

/** The tool was called at least once. */
function calls(name: string): (judged: Traced) => Promise<ScoreObject> {
  return judgingCalls((called) => called.some((call) => call.name === name));
}

/** The tools were called in this order; other calls may lie between. */
function callsInOrder(...names: string[]): (judged: Traced) => Promise<ScoreObject> {
  return judgingCalls((called) => {
    let found = 0;
    for (const { name } of called) if (name === names[found]) found += 1;
    return found === names.length;
  });
}

/** None of the tools was called. */
function neverCalls(...names: string[]): (judged: Traced) => Promise<ScoreObject> {
  return judgingCalls((called) => !called.some(({ name }) => names.includes(name)));
}

function judgingCalls(
  holds: (called: readonly ToolCall[]) => boolean,
): (judged: Traced) => Promise<ScoreObject> {
  return async ({ trace }) => {
    const called = toolCalls(await trace());
    const names = called.map(({ name }) => name).join(" → ");
    return { value: holds(called), explanation: names === "" ? "No tool was called" : names };
  };
}

function partsOf<Output, Expected>(
  judged: Compared<Output, Expected>,
  { output, expected }: CheckOptions<Output, Expected>,
): { readonly output: unknown; readonly expected: unknown } {
  return {
    output: output ? output(judged.output) : judged.output,
    expected: expected ? expected(judged.expected) : judged.expected,
  };
}

/** The same text for the same JSON, in whichever order its keys are. */
function jsonOf(value: unknown): string | undefined {
  return JSON.stringify(value, (_key, member: unknown) =>
    isRecord(member) ? Object.fromEntries(Object.entries(member).sort(byKey)) : member,
  );
}

const byKey = ([one]: [string, unknown], [other]: [string, unknown]) => (one < other ? -1 : 1);

/** Thrown, a wrong type is a failed score: a 0 would blame the output for a mistake in the check. */
function textOf(what: string, value: unknown): string {
  if (typeof value === "string") return value;
  throw new TypeError(`The ${what} must be a text (got ${shownValue(value)}).`);
}

function numberOf(what: string, value: unknown): number {
  if (typeof value === "number" && Number.isFinite(value)) return value;
  throw new TypeError(`The ${what} must be a number (got ${shownValue(value)}).`);
}

/** A check whose arguments are part of its version. Keeps its type. */
function versioned<F extends (...args: never[]) => object>(check: F): F {
  const make = (...args: Parameters<F>) => madeOf(check(...args), check.name, ...args);
  return make as unknown as F;
}

/**
 * Ready scorers.
 *
 * @example
 * scorers: { right: checks.equals(), searched: checks.calls("search"), safe: checks.neverCalls("refund") }
 */
export const checks = {
  equals: versioned(equals),
  contains: versioned(contains),
  matches: versioned(matches),
  matchesSchema: versioned(matchesSchema),
  similarity: versioned(similarity),
  within: versioned(within),
  calls: versioned(calls),
  callsInOrder: versioned(callsInOrder),
  neverCalls: versioned(neverCalls),
} as const;
