import type { ConfigFieldSchema } from "@agate/protocol";

/** How a field is shown. */
export type ConfigControl = "text" | "number" | "checkbox" | "choice";

const CONTROLS: Readonly<Record<string, ConfigControl>> = {
  "text-area": "text",
  slider: "number",
  checkbox: "checkbox",
  dropdown: "choice",
  "grouped-dropdown": "choice",
};

/** What the field asks for; a control of a later SDK that the page does not know yet follows the type. */
export function controlOf(field: ConfigFieldSchema): ConfigControl {
  const control = field["x-ag-control"];
  const known = Object.hasOwn(CONTROLS, control) ? CONTROLS[control] : undefined;
  return known ?? controlOfType(field);
}

function controlOfType({ type, enum: choices }: ConfigFieldSchema): ConfigControl {
  switch (type) {
    case "string":
      return choices === undefined ? "text" : "choice";
    case "integer":
    case "number":
      return "number";
    case "boolean":
      return "checkbox";
  }
}
