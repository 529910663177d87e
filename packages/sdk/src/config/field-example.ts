import { shownValue } from "@agate/protocol";
import type { ConfigFieldKind } from "./config-field.ts";

/** A class has no fields that are objects or lists of anything: those are declared with zod. */
type ClassFieldKind = Exclude<ConfigFieldKind, "object" | "list">;

const EXAMPLES: Readonly<Record<ClassFieldKind, { type: string; value: unknown }>> = {
  str: { type: "ag.str", value: "..." },
  int: { type: "ag.int", value: 0 },
  float: { type: "ag.float", value: 0.5 },
  bool: { type: "ag.bool", value: false },
  choice: { type: "ag.MultipleChoice({ choices: [...] })", value: "..." },
  "grouped-choice": { type: "ag.GroupedMultipleChoice({ choices: {...} })", value: "..." },
  messages: { type: "ag.Messages()", value: [{ role: "system", content: "..." }] },
};

/** How a class declares a field, for a message that says what to write. */
export function fieldExample(name: string, kind: ConfigFieldKind, value?: unknown): string {
  const { type, value: example } = EXAMPLES[kind as ClassFieldKind];
  const shown = kind === "messages" ? JSON.stringify(example) : shownValue(value ?? example);
  return `${name} = ag.Field(${type}, { default: ${shown} })`;
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
function typeKind(value: unknown): ClassFieldKind | undefined {
  if (typeof value !== "object" || value === null || !("kind" in value)) return undefined;
  const { kind } = value;
  return typeof kind === "string" && Object.hasOwn(EXAMPLES, kind)
    ? (kind as ClassFieldKind)
    : undefined;
}
