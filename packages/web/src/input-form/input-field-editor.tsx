import { shownValue } from "@agate/protocol";
import { Field, type FieldIds } from "../design/field.tsx";
import { type FieldDraft, isBlank } from "./field-draft.ts";
import { InputFieldControl } from "./input-field-control.tsx";
import type { InputField } from "./input-fields.ts";

interface InputFieldEditorProps {
  readonly field: InputField;
  readonly draft: FieldDraft | undefined;
  readonly problem: string | undefined;
  readonly onChange: (draft: FieldDraft) => void;
}

/** One input of a route, with what there is to know about it. */
export function InputFieldEditor({
  field,
  draft = null,
  problem,
  onChange,
}: InputFieldEditorProps) {
  const { name, title, description, isRequired } = field;
  return (
    <Field
      label={
        <>
          {title !== undefined && `${title} `}
          <code className="font-mono">{name}</code>
          {!isRequired && <span className="font-normal text-ink-soft"> (optional)</span>}
        </>
      }
      description={description}
      problem={problem}
      aside={<LeftOut field={field} draft={draft} />}
      isInline={field.control.kind === "boolean" && !isJson(draft)}
    >
      {(ids: FieldIds) => (
        <InputFieldControl
          field={field}
          label={title ?? name}
          ids={ids}
          draft={draft}
          onChange={onChange}
        />
      )}
    </Field>
  );
}

/** What becomes of an optional field that is empty. */
function LeftOut({ field, draft }: { readonly field: InputField; readonly draft: FieldDraft }) {
  if (field.isRequired || !isBlank(draft)) return null;
  return (
    <span className="text-xs text-ink-soft">
      {field.default === undefined ? "left out" : `left out: ${shownValue(field.default)}`}
    </span>
  );
}

function isJson(draft: FieldDraft): boolean {
  return draft !== null && typeof draft === "object" && "json" in draft;
}
