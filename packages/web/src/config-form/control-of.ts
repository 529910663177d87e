import type { ConfigFieldSchema } from "@agate/protocol";
import { fieldType } from "@agate/protocol";

/** How a field is shown. */
export type ConfigControl =
  | "text"
  | "number"
  | "checkbox"
  | "choice"
  | "group"
  | "list"
  | "messages";

const CONTROLS: Readonly<Record<string, ConfigControl>> = {
  "text-area": "text",
  slider: "number",
  checkbox: "checkbox",
  dropdown: "choice",
  "grouped-dropdown": "choice",
  group: "group",
  list: "list",
  messages: "messages",
};

/** The declared control. One that this page does not know, from a later SDK, falls back to the type. */
export function controlOf(field: ConfigFieldSchema): ConfigControl {
  const control = field["x-ag-control"];
  const known = Object.hasOwn(CONTROLS, control) ? CONTROLS[control] : undefined;
  return known ?? controlOfType(field);
}

function controlOfType(field: ConfigFieldSchema): ConfigControl {
  switch (fieldType(field)) {
    case "string":
      return field.enum === undefined ? "text" : "choice";
    case "integer":
    case "number":
      return "number";
    case "boolean":
      return "checkbox";
    case "object":
      return "group";
    case "array":
      return "list";
  }
}

/** The choices of a dropdown under one heading, or without (null). */
interface ChoiceGroup {
  readonly name: string | null;
  readonly choices: readonly string[];
}

/**
 * The choices of a field in the order of their declaration. A choice may appear in several groups; its
 * value is the same in each.
 */
export function choiceGroups(field: ConfigFieldSchema): readonly ChoiceGroup[] {
  const groups = Object.entries(field["x-ag-groups"] ?? {}).map(([name, choices]) => ({
    name,
    choices: [...new Set(choices)],
  }));
  const grouped = new Set(groups.flatMap(({ choices }) => choices));
  const others = [...new Set(field.enum)].filter(
    (choice) => choice !== null && !grouped.has(choice),
  ) as string[];
  return others.length === 0 ? groups : [...groups, { name: null, choices: others }];
}
