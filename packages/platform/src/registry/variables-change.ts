import { shownValue, variableNameFault } from "@agate/protocol";
import type { RegistryOutcome, RegistryProblem } from "./registry-outcome.ts";
import { done, refusalOf } from "./registry-outcome.ts";

/** A variable with its value, for the process that gets it. */
export interface VariableValue {
  readonly name: string;
  readonly value: string;
  readonly isSecret: boolean;
}

/** The variables of an environment, for its processes. */
export interface VariableValues {
  /** The change of the environment's variables that made them; 0 where there are none. */
  readonly version: number;
  readonly values: readonly VariableValue[];
  /** Names of secrets that this server cannot read. */
  readonly unreadable: readonly string[];
}

/** Variables to set and to unset, checked. Both together are one change. */
export interface VariablesChange {
  readonly set: readonly VariableValue[];
  readonly unset: readonly string[];
}

/** In UTF-8. */
const MOST_VALUE_BYTES = 64 * 1024;
/** Of all names and values of an environment. */
const MOST_BYTES = 256 * 1024;
const MOST_VARIABLES = 1_000;

/**
 * Reads a change as a request has it: `set` has a value for each name, for a plain one
 * `{"value": "…", "plain": true}`; `unset` is a list of names.
 */
export function readVariablesChange(given: {
  readonly set: Readonly<Record<string, unknown>>;
  readonly unset: readonly string[];
}): RegistryOutcome<VariablesChange> {
  const problems: RegistryProblem[] = [];
  const unset = new Set(given.unset);
  const set = Object.entries(given.set).flatMap(([name, input]): VariableValue[] => {
    const loc = ["body", "set", name];
    const report = (msg: string) => {
      problems.push({ type: "variable_invalid", loc, msg });
      return [];
    };
    const fault = variableNameFault(name);
    if (fault !== undefined) return report(`${shownValue(name)} is not a valid name. ${fault}.`);
    if (unset.has(name)) return report("Is in `unset`, too.");
    const variable = readValue(name, input);
    if (variable === undefined) {
      return report('Must be a text, or {"value": "…", "plain": true} for a plain variable.');
    }
    const valueFault = faultOfValue(variable.value);
    return valueFault === undefined ? [variable] : report(valueFault);
  });
  return refusalOf(problems) ?? done({ set, unset: [...unset] });
}

function readValue(name: string, input: unknown): VariableValue | undefined {
  if (typeof input === "string") return { name, value: input, isSecret: true };
  if (typeof input !== "object" || input === null) return undefined;
  const { value, plain = false, ...others } = input as Readonly<Record<string, unknown>>;
  if (typeof value !== "string" || typeof plain !== "boolean") return undefined;
  return Object.keys(others).length === 0 ? { name, value, isSecret: !plain } : undefined;
}

/** Never shows the value. */
function faultOfValue(value: string): string | undefined {
  const bytes = Buffer.byteLength(value);
  if (bytes > MOST_VALUE_BYTES) {
    return `Must have at most ${MOST_VALUE_BYTES} bytes (got ${bytes}).`;
  }
  if (value.includes("\0")) return "Must not have the character U+0000.";
  return value.isWellFormed() ? undefined : "Must be valid Unicode.";
}

/** Why an environment cannot have these variables together. */
export function sizeProblem({ values }: VariableValues): RegistryProblem | undefined {
  const loc = ["body", "set"];
  if (values.length > MOST_VARIABLES) {
    const msg = `An environment has at most ${MOST_VARIABLES} variables (this makes ${values.length}).`;
    return { type: "variable_invalid", loc, msg };
  }
  const bytes = values.reduce(
    (sum, { name, value }) => sum + name.length + Buffer.byteLength(value),
    0,
  );
  if (bytes <= MOST_BYTES) return undefined;
  const msg = `The names and values of an environment have at most ${MOST_BYTES} bytes together (this makes ${bytes}).`;
  return { type: "variable_invalid", loc, msg };
}
