import { shownValue } from "@agate/protocol";
import { FieldName } from "../config-form/field-name.tsx";
import { Button } from "../design/button.tsx";
import { Field } from "../design/field.tsx";
import { type FieldDraft, fieldDraftOf, isBlank, isJsonDraft, parseField } from "./field-draft.ts";
import { InputFieldControl } from "./input-field-control.tsx";
import { type InputField, WHOLE } from "./input-fields.ts";

interface InputFieldEditorProps {
  readonly field: InputField;
  readonly draft: FieldDraft;
  readonly problem: string | undefined;
  readonly onChange: (draft: FieldDraft) => void;
}

/** One input of a route with its label, description and problem. */
export function InputFieldEditor({ field, draft, problem, onChange }: InputFieldEditorProps) {
  const { title, description, isRequired, control } = field;
  const isJson = isJsonDraft(draft);
  return (
    <Field
      label={
        <>
          <FieldName name={nameOf(field)} title={title} />
          {!isRequired && <span className="font-normal text-ink-soft"> (optional)</span>}
        </>
      }
      description={isJson ? "The value does not fit this field; edit it as JSON." : description}
      problem={problem}
      aside={<FieldState field={field} draft={draft} onChange={onChange} />}
      isInline={control.kind === "boolean" && !isJson}
    >
      {(ids) => (
        <InputFieldControl
          field={field}
          label={title ?? nameOf(field)}
          ids={ids}
          draft={draft}
          onChange={onChange}
        />
      )}
    </Field>
  );
}

interface FieldStateProps {
  readonly field: InputField;
  readonly draft: FieldDraft;
  readonly onChange: (draft: FieldDraft) => void;
}

/** Whether an optional field is omitted, and buttons to omit it or to leave JSON. */
function FieldState({ field, draft, onChange }: FieldStateProps) {
  const { isRequired, control } = field;
  const name = nameOf(field);
  if (isJsonDraft(draft)) {
    return (
      <Button size="small" look="quiet" onClick={() => onChange(asControl(field, draft))}>
        Edit as field<span className="sr-only">: {name}</span>
      </Button>
    );
  }
  if (isRequired) {
    const parsed = parseField(field, draft);
    if (parsed.kind === "value" && parsed.value === null) return <State text="null when empty" />;
    return control.kind === "json" ? <State text="JSON" /> : null;
  }
  if (!isBlank(draft)) {
    if (control.kind === "json") return <State text="JSON" />;
    // Texts and choices can be cleared; a checkbox cannot.
    if (control.kind !== "boolean") return null;
    return (
      <Button size="small" look="quiet" onClick={() => onChange(null)}>
        Omit<span className="sr-only"> {name}</span>
      </Button>
    );
  }
  const hasDefault = ![undefined, null, ""].some((nothing) => nothing === field.default);
  const state = hasDefault ? `omitted (default: ${shownValue(field.default)})` : "omitted";
  return <State text={control.kind === "json" ? `JSON, ${state}` : state} />;
}

function nameOf({ name }: InputField): string {
  return name === WHOLE ? "inputs" : name;
}

function State({ text }: { readonly text: string }) {
  return <span className="truncate text-xs text-ink-soft">{text}</span>;
}

/** The draft for the field's own control; null if the value does not fit it. */
function asControl(field: InputField, draft: FieldDraft): FieldDraft {
  const parsed = parseField(field, draft);
  const own = parsed.kind === "value" ? fieldDraftOf(field, parsed.value) : null;
  return isJsonDraft(own) ? null : own;
}
