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

/** What the field asks for; a control of a later SDK that the page does not know yet follows the type. */
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
