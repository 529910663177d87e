import type { JsonSchema } from "@agate/protocol";
import { isRecord, isSameJson } from "@agate/protocol";
import { readJson } from "../code-editor/json-syntax.ts";
import { ownField } from "../config-form/config-values.ts";
import type { FieldProblem } from "../config-form/field-problem.ts";
import {
  emptyFieldDraft,
  type FieldDraft,
  fieldDraftOf,
  guessValue,
  isBlank,
  parseField,
} from "./field-draft.ts";
import { type InputFields, inputFields, WHOLE } from "./input-fields.ts";
import { skeletonOf } from "./skeleton-of.ts";

/** Inputs while they are typed, valid or not, as a form or as JSON. Serialisable. */
export type InputDraft =
  | { readonly mode: "form"; readonly fields: Readonly<Record<string, FieldDraft>> }
  | { readonly mode: "json"; readonly text: string };

export type ParsedDraft =
  | { readonly kind: "inputs"; readonly inputs: unknown }
  | { readonly kind: "invalid"; readonly problems: readonly FieldProblem[] };

/** The initial draft, with the defaults of the schema. */
export function emptyDraft(schema: JsonSchema): InputDraft {
  const form = inputFields(schema);
  if (form === null) return jsonDraft(skeletonOf(schema, schema));
  const drafts = form.fields.map((field) => [field.name, emptyFieldDraft(schema, field)] as const);
  return { mode: "form", fields: Object.fromEntries(drafts) };
}

/**
 * A draft of recorded inputs. Inputs that the form cannot represent exactly are edited as JSON: other
 * types, unknown fields, missing required fields.
 */
export function draftOf(schema: JsonSchema, inputs: unknown): InputDraft {
  if (inputs === undefined) return emptyDraft(schema);
  const draft = formDraftOf(schema, inputs);
  const parsed = draft && parseDraft(schema, draft);
  const isFaithful = parsed?.kind === "inputs" && isSameJson(parsed.inputs, inputs);
  return draft !== undefined && isFaithful ? draft : jsonDraft(inputs);
}

/** The inputs to send, or the problems that prevent it. */
export function parseDraft(schema: JsonSchema, draft: InputDraft): ParsedDraft {
  const fitting = fittingDraft(schema, draft);
  if (fitting.mode === "json") {
    const reading = readJson(fitting.text);
    return reading.kind === "value"
      ? { kind: "inputs", inputs: reading.value }
      : { kind: "invalid", problems: [{ path: [], message: reading.fault.message }] };
  }
  const form = inputFields(schema) ?? NO_FIELDS;
  const values: [string, unknown][] = [];
  const problems: FieldProblem[] = [];
  for (const field of form.fields) {
    const parsed = parseField(field, ownField(fitting.fields, field.name));
    if (parsed.kind === "value") values.push([field.name, parsed.value]);
    if (parsed.kind === "invalid") {
      problems.push({ path: form.isWhole ? [] : [field.name], message: parsed.message });
    }
  }
  return problems.length === 0
    ? { kind: "inputs", inputs: inputsOf(form, values) }
    : { kind: "invalid", problems };
}

/** The problems of the typed content. Empty required fields are no problem until the user runs the case. */
export function typedProblems(schema: JsonSchema, draft: InputDraft): readonly FieldProblem[] {
  const parsed = parseDraft(schema, draft);
  if (parsed.kind === "inputs") return [];
  if (draft.mode === "json") return draft.text.trim() === "" ? [] : parsed.problems;
  return parsed.problems.filter(
    ({ path }) => !isBlank(ownField(draft.fields, String(path[0] ?? WHOLE))),
  );
}

/**
 * A draft that the form can show. If the workflow no longer has one of its fields, the whole draft becomes
 * JSON, so that nothing is lost.
 */
export function fittingDraft(schema: JsonSchema, draft: InputDraft): InputDraft {
  if (draft.mode === "json") return draft;
  const form = inputFields(schema);
  const known = new Map(form?.fields.map((field) => [field.name, field]));
  const typed = Object.entries(draft.fields).filter(([, value]) => !isBlank(value));
  if (form !== null && typed.every(([name]) => known.has(name))) return draft;
  const values = typed.map(([name, value]) => {
    const field = known.get(name);
    const parsed = field && parseField(field, value);
    return [name, parsed?.kind === "value" ? parsed.value : guessValue(value)] as const;
  });
  return jsonDraft(Object.fromEntries(values));
}

export type Switched =
  | { readonly kind: "switched"; readonly draft: InputDraft }
  /** Says what to fix first. */
  | { readonly kind: "refused"; readonly reason: string };

/** Converts a draft to JSON. Empty fields are omitted. */
export function switchToJson(schema: JsonSchema, draft: InputDraft): Switched {
  const fitting = fittingDraft(schema, draft);
  if (fitting.mode === "json") return { kind: "switched", draft: fitting };
  const [problem] = typedProblems(schema, fitting);
  if (problem !== undefined) {
    const what = problem.path[0] ?? "this";
    return { kind: "refused", reason: `Fix ${what} first: ${problem.message}` };
  }
  const form = inputFields(schema) ?? NO_FIELDS;
  const values = form.fields.flatMap((field): [string, unknown][] => {
    const parsed = parseField(field, ownField(fitting.fields, field.name));
    return parsed.kind === "value" ? [[field.name, parsed.value]] : [];
  });
  if (form.isWhole && values.length === 0) return { kind: "switched", draft: EMPTY_JSON };
  return { kind: "switched", draft: jsonDraft(inputsOf(form, values)) };
}

/** Converts a draft to a form. */
export function switchToForm(schema: JsonSchema, draft: InputDraft): Switched {
  if (draft.mode === "form") return { kind: "switched", draft };
  const reading = readJson(draft.text);
  if (reading.kind === "broken") return { kind: "refused", reason: reading.fault.message };
  const form = formDraftOf(schema, reading.value);
  if (form !== undefined) return { kind: "switched", draft: form };
  const names = new Set(inputFields(schema)?.fields.map(({ name }) => name));
  const extra = isRecord(reading.value)
    ? Object.keys(reading.value).find((name) => !names.has(name))
    : undefined;
  const reason =
    extra === undefined
      ? "The form needs an object. Continue in JSON."
      : `The form has no field "${extra}". Remove it, or continue in JSON.`;
  return { kind: "refused", reason };
}

/** Undefined if the form cannot represent the inputs. */
function formDraftOf(schema: JsonSchema, inputs: unknown): InputDraft | undefined {
  const form = inputFields(schema);
  const members = form?.isWhole ? { [WHOLE]: inputs } : inputs;
  if (form === null || !isRecord(members)) return undefined;
  const names = new Set(form.fields.map(({ name }) => name));
  if (Object.keys(members).some((name) => !names.has(name))) return undefined;
  const drafts = form.fields.map(
    (field) =>
      [
        field.name,
        Object.hasOwn(members, field.name) ? fieldDraftOf(field, members[field.name]) : null,
      ] as const,
  );
  return { mode: "form", fields: Object.fromEntries(drafts) };
}

const NO_FIELDS: InputFields = { fields: [], isWhole: false };
const EMPTY_JSON: InputDraft = { mode: "json", text: "" };

function inputsOf({ isWhole }: InputFields, values: readonly (readonly [string, unknown])[]) {
  return isWhole ? values[0]?.[1] : Object.fromEntries(values);
}

function jsonDraft(inputs: unknown): InputDraft {
  return { mode: "json", text: JSON.stringify(inputs, null, 2) };
}

/** Validates a draft from a link, which is untrusted. */
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
