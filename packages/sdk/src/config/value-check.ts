import { shownChoices, shownValue, templateName, unknownVariable } from "@agate/protocol";
import type { Bounds, ScalarType } from "./config-field.ts";
import type { ConfigIssueType } from "./config-issue-types.ts";

/** What is wrong with the value of a field. */
export interface Problem {
  readonly type: ConfigIssueType;
  readonly message: string;
}

/** Null when the field takes the value. */
export type ValueCheck = (value: unknown) => Problem | null;

/** Made once a field: what can be prepared is prepared. */
export function createValueCheck(field: ScalarType): ValueCheck {
  switch (field.kind) {
    case "str":
      return createTextCheck(field.variables);
    case "int":
      return (value) => checkInt(value) ?? checkBounds(field.bounds, value as number);
    case "float":
      return (value) =>
        Number.isFinite(value)
          ? checkBounds(field.bounds, value as number)
          : refusal("float_type", "a number", value);
    case "bool":
      return (value) =>
        typeof value === "boolean" ? null : refusal("bool_type", "true or false", value);
    case "choice":
      return createChoiceCheck(field.choices);
    case "grouped-choice":
      return createChoiceCheck(Object.values(field.groups).flat());
  }
}

function createTextCheck(variables: readonly string[] | undefined): ValueCheck {
  return (value) => {
    if (typeof value !== "string") return refusal("string_type", "a string", value);
    const unknown = variables && unknownVariable(value, variables);
    if (variables === undefined || unknown === undefined) return null;
    const message = `Takes ${templateName(variables)}, not {{${unknown}}}.`;
    return { type: "unknown_variable", message };
  };
}

function checkInt(value: unknown): Problem | null {
  if (Number.isSafeInteger(value)) return null;
  const digits = Number.isInteger(value) ? " of at most 53 bits" : "";
  return refusal("int_type", `a whole number${digits}`, value);
}

function checkBounds({ ge, gt, le, lt }: Bounds, value: number): Problem | null {
  if (ge !== undefined && value < ge) {
    return refusal("greater_than_equal", `a number of at least ${ge}`, value);
  }
  if (gt !== undefined && value <= gt) {
    return refusal("greater_than", `a number greater than ${gt}`, value);
  }
  if (le !== undefined && value > le) {
    return refusal("less_than_equal", `a number of at most ${le}`, value);
  }
  if (lt !== undefined && value >= lt) {
    return refusal("less_than", `a number less than ${lt}`, value);
  }
  return null;
}

function createChoiceCheck(choices: readonly string[]): ValueCheck {
  const allowed: ReadonlySet<unknown> = new Set(choices);
  return (value) =>
    allowed.has(value) ? null : refusal("choice", shownChoices([...new Set(choices)]), value);
}

function refusal(type: ConfigIssueType, taken: string, value: unknown): Problem {
  return { type, message: `Takes ${taken}, not ${shownValue(value)}.` };
}
