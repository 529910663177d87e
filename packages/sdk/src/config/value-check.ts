import { choiceList, mustBe, shownValue, templateName, unknownVariable } from "@agate/protocol";
import type { Bounds, ScalarType } from "./config-schema.ts";

/**
 * Every `type` that an issue of a configuration has, and what it means. A type is a promise to
 * clients: it is never renamed. docs/reference/errors.md lists them.
 */
export const CONFIG_ISSUE_TYPES = {
  object_type: "A configuration, or a field that is an object, is an object of fields.",
  list_type: "The field takes a list.",
  string_type: "The field takes a string.",
  int_type: "The field takes a whole number of at most 53 bits.",
  float_type: "The field takes a finite number.",
  bool_type: "The field takes `true` or `false`.",
  greater_than_equal: "The number is below the field's `ge`.",
  greater_than: "The number is not above the field's `gt`.",
  less_than_equal: "The number is above the field's `le`.",
  less_than: "The number is not below the field's `lt`.",
  choice: "The field takes one of its choices, and this is none of them.",
  too_few_items: "The list has fewer items than the field takes.",
  too_many_items: "The list has more items than the field takes.",
  unknown_variable: "The text has a `{{variable}}` that was not declared.",
  missing_field: "The object lacks a field that has no default.",
  custom: "A check of the configuration's own zod schema failed.",
  unknown_field: "The configuration has no field of this name.",
} as const satisfies Record<string, string>;

export type ConfigIssueType = keyof typeof CONFIG_ISSUE_TYPES;

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
    const message = mustBe(templateName(variables), `{{${unknown}}}`);
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
    return refusal("greater_than_equal", `${ge} or more`, value);
  }
  if (gt !== undefined && value <= gt) {
    return refusal("greater_than", `greater than ${gt}`, value);
  }
  if (le !== undefined && value > le) {
    return refusal("less_than_equal", `${le} or less`, value);
  }
  if (lt !== undefined && value >= lt) {
    return refusal("less_than", `less than ${lt}`, value);
  }
  return null;
}

function createChoiceCheck(choices: readonly string[]): ValueCheck {
  const allowed: ReadonlySet<unknown> = new Set(choices);
  return (value) =>
    allowed.has(value) ? null : refusal("choice", choiceList([...new Set(choices)]), value);
}

function refusal(type: ConfigIssueType, allowed: string, value: unknown): Problem {
  return { type, message: mustBe(allowed, shownValue(value)) };
}
