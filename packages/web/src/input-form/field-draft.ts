import type { ConfigFieldSchema, JsonSchema } from "@agate/protocol";
import { isSameJson, mustBe, refusedBy, shownValue } from "@agate/protocol";
import { readJson } from "../code-editor/json-syntax.ts";
import { parseNumber } from "../design/number-box.tsx";
import type { InputControl, InputField } from "./input-fields.ts";
import { skeletonOf } from "./skeleton-of.ts";

/**
 * The typed content of one field: a text, or the texts of a list; null and "" are empty. Choices and
 * booleans are stored as JSON. A value that does not fit the control is edited as JSON.
 */
export type FieldDraft = string | readonly string[] | { readonly json: string } | null;

export type ParsedField =
  | { readonly kind: "value"; readonly value: unknown }
  | { readonly kind: "left-out" }
  | { readonly kind: "invalid"; readonly message: string };

/** Whether the field is edited as JSON because its value does not fit the control. */
export function isJsonDraft(draft: FieldDraft | undefined): draft is { readonly json: string } {
  return typeof draft === "object" && draft !== null && "json" in draft;
}

/** Whether the field is empty. A list with one empty text is not. */
export function isBlank(draft: FieldDraft | undefined): boolean {
  if (draft === undefined || draft === null) return true;
  return isJsonDraft(draft) ? draft.json.trim() === "" : draft.length === 0;
}

/** Parses and checks the typed content of a field. */
export function parseField(field: InputField, draft: FieldDraft | undefined): ParsedField {
  if (draft === undefined || draft === null || isBlank(draft)) return parseBlank(field);
  if (isJsonDraft(draft)) return parseJson(draft.json);
  const { control } = field;
  if (control.kind === "texts") return value(typeof draft === "string" ? [draft] : draft);
  return parseText(field, typeof draft === "string" ? draft : JSON.stringify(draft));
}

/**
 * An empty optional field is omitted; to send an empty text, enter `""` as JSON. An empty required text is
 * sent as "".
 */
function parseBlank({ isRequired, isNullable, control }: InputField): ParsedField {
  if (!isRequired) return { kind: "left-out" };
  switch (control.kind) {
    case "text":
      return value("");
    case "texts":
      return value([]);
    case "boolean":
      return isNullable ? value(null) : value(false);
    case "choice":
      return invalid("Choose a value.");
    case "number":
      return isNullable ? value(null) : invalid(`Must be ${numberName(control.field)}.`);
    case "json":
      return isNullable ? value(null) : invalid(`Must be ${typeName(control.type)}.`);
  }
}

function parseText({ control, isNullable }: InputField, text: string): ParsedField {
  switch (control.kind) {
    case "text":
    case "texts":
      return value(text);
    case "number":
      return parseNumberText(control.field, text);
    case "boolean":
      if (text === "true" || text === "false") return value(text === "true");
      return invalid(mustBe("true or false", shownValue(text)));
    case "choice": {
      const choice = control.choices.find((each) => JSON.stringify(each) === text);
      return choice === undefined
        ? invalid(`${text} is no longer available. Choose another value.`)
        : value(choice);
    }
    case "json": {
      const parsed = parseJson(text);
      const isTaken =
        parsed.kind !== "value" ||
        control.type === null ||
        (parsed.value === null && isNullable) ||
        jsonType(parsed.value) === control.type;
      return isTaken ? parsed : invalid(mustBe(typeName(control.type), shownValue(parsed.value)));
    }
  }
}

function parseNumberText(field: ConfigFieldSchema, text: string): ParsedField {
  const number = parseNumber(text) ?? text;
  const allowed = refusedBy(field, number);
  return allowed === undefined ? value(number) : invalid(mustBe(allowed, shownValue(number)));
}

function parseJson(text: string): ParsedField {
  const reading = readJson(text);
  return reading.kind === "value" ? value(reading.value) : invalid(reading.fault.message);
}

/** The draft that `parseField` turns into this value. */
export function fieldDraftOf(field: InputField, given: unknown): FieldDraft {
  const draft = naturalDraft(field.control, given);
  const parsed = parseField(field, draft);
  return parsed.kind === "value" && isSameJson(parsed.value, given)
    ? draft
    : { json: JSON.stringify(given, null, 2) };
}

function naturalDraft({ kind }: InputControl, given: unknown): FieldDraft {
  switch (kind) {
    case "text":
      return typeof given === "string" ? given : null;
    case "texts":
      return Array.isArray(given) && given.every((item) => typeof item === "string") ? given : null;
    case "number":
    case "boolean":
      return given === null ? null : JSON.stringify(given);
    case "choice":
      return JSON.stringify(given);
    case "json":
      return JSON.stringify(given, null, 2);
  }
}

/** The initial draft of a field: its default, or an empty value if it is required. */
export function emptyFieldDraft(root: JsonSchema, field: InputField): FieldDraft {
  const { control, isRequired, schema } = field;
  const initial = field.default;
  // Omitting the field has the same effect as an empty default.
  if (!isRequired && isBlank(initial === undefined ? null : naturalDraft(control, initial))) {
    return null;
  }
  if (initial !== undefined) return fieldDraftOf(field, initial);
  switch (control.kind) {
    case "text":
    case "number":
      return "";
    case "boolean":
      return "false";
    case "choice":
      return control.choices.length === 1 ? JSON.stringify(control.choices[0]) : null;
    case "texts":
      return [""];
    case "json":
      return JSON.stringify(skeletonOf(root, schema), null, 2);
  }
}

/** The likely value of a draft whose field no longer exists. */
export function guessValue(draft: FieldDraft): unknown {
  if (!isJsonDraft(draft)) return draft;
  const reading = readJson(draft.json);
  return reading.kind === "value" ? reading.value : draft.json;
}

function value(given: unknown): ParsedField {
  return { kind: "value", value: given };
}

function invalid(message: string): ParsedField {
  return { kind: "invalid", message };
}

function numberName({ type }: ConfigFieldSchema): string {
  return type === "integer" ? "a whole number" : "a number";
}

function typeName(type: "object" | "array" | null): string {
  if (type === null) return "JSON";
  return type === "object" ? "an object" : "a list";
}

function jsonType(given: unknown): string {
  return Array.isArray(given) ? "array" : typeof given;
}
