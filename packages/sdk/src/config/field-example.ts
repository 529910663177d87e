import { shownValue } from "@agate/protocol";
import type { ConfigFieldKind } from "./config-field.ts";

const EXAMPLES: Readonly<Record<ConfigFieldKind, { type: string; value: unknown }>> = {
  str: { type: "ag.str", value: "..." },
  int: { type: "ag.int", value: 0 },
  float: { type: "ag.float", value: 0.5 },
  bool: { type: "ag.bool", value: false },
  choice: { type: "ag.MultipleChoice({ choices: [...] })", value: "..." },
  "grouped-choice": { type: "ag.GroupedMultipleChoice({ choices: {...} })", value: "..." },
};

/** How a class declares a field, for a message that says what to write. */
export function fieldExample(name: string, kind: ConfigFieldKind, value?: unknown): string {
  const { type, value: example } = EXAMPLES[kind];
  return `${name} = ag.Field(${type}, { default: ${shownValue(value ?? example)} })`;
}

/** What to do about a member of a class that is not a field. */
export function notAField(name: string, value: unknown): string {
  switch (typeof value) {
    case "function":
      return `A function is not a field. Write it as a method: ${name}() { ... }.`;
    case "string":
      return instead(fieldExample(name, "str", value));
    case "boolean":
      return instead(fieldExample(name, "bool", value));
    case "number":
      return instead(fieldExample(name, Number.isInteger(value) ? "int" : "float", value));
    default:
      return instead(fieldExample(name, typeKind(value) ?? "str"));
  }
}

function instead(example: string): string {
  return `Every member is a field with a default. Write ${example}.`;
}

/** The kind of `ag.int` in `foo = ag.int`, where `Field` was forgotten. */
function typeKind(value: unknown): ConfigFieldKind | undefined {
  if (typeof value !== "object" || value === null || !("kind" in value)) return undefined;
  const { kind } = value;
  return typeof kind === "string" && Object.hasOwn(EXAMPLES, kind)
    ? (kind as ConfigFieldKind)
    : undefined;
}
