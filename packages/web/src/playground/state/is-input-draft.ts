import type { InputDraft } from "../../input-form/input-draft.ts";

/** Whether a value is what is typed into an input form: links come from anywhere. */
export function isInputDraft(value: unknown): value is InputDraft {
  if (typeof value !== "object" || value === null || !("mode" in value)) return false;
  if (value.mode === "json") return "text" in value && typeof value.text === "string";
  if (value.mode !== "form" || !("fields" in value)) return false;
  const { fields } = value;
  return typeof fields === "object" && fields !== null && Object.values(fields).every(isFieldDraft);
}

function isFieldDraft(value: unknown): boolean {
  if (value === null || typeof value === "string") return true;
  if (Array.isArray(value)) return value.every((item) => typeof item === "string");
  return typeof value === "object" && "json" in value && typeof value.json === "string";
}
