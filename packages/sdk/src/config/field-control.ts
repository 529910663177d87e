import type { ConfigField } from "./config-field.ts";

/** How the playground shows a field: contract 2.4. */
export type FieldControl = "text-area" | "slider" | "checkbox" | "dropdown" | "grouped-dropdown";

export function controlOf(field: ConfigField): FieldControl {
  switch (field.kind) {
    case "str":
      return "text-area";
    case "int":
    case "float":
      return "slider";
    case "bool":
      return "checkbox";
    case "choice":
      return "dropdown";
    case "grouped-choice":
      return "grouped-dropdown";
  }
}
