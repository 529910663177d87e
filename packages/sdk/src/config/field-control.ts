import type { ConfigType } from "./config-field.ts";

/** How the playground shows a field: contract 2.4, and the kinds that the contract does not have. */
export type FieldControl =
  | "text-area"
  | "slider"
  | "checkbox"
  | "dropdown"
  | "grouped-dropdown"
  | "group"
  | "list"
  | "messages";

export function controlOf(type: ConfigType): FieldControl {
  switch (type.kind) {
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
    case "object":
      return "group";
    case "list":
    case "messages":
      return type.kind;
  }
}
