import { CodeEditor } from "../code-editor/code-editor.tsx";
import { stepNumber } from "../config-form/slider-range.ts";
import type { FieldIds } from "../design/field.tsx";
import { Checkbox, Select } from "../design/field.tsx";
import { NumberBox, parseNumber } from "../design/number-box.tsx";
import { type FieldDraft, isJsonDraft } from "./field-draft.ts";
import type { InputField } from "./input-fields.ts";
import { TextInputControl } from "./text-input-control.tsx";
import { TextsControl } from "./texts-control.tsx";

interface InputFieldControlProps {
  readonly field: InputField;
  readonly label: string;
  readonly ids: FieldIds;
  readonly draft: FieldDraft;
  readonly onChange: (draft: FieldDraft) => void;
}

/** The control that an input's schema asks for; JSON for a value that it cannot show. */
export function InputFieldControl({ field, label, ids, draft, onChange }: InputFieldControlProps) {
  if (isJsonDraft(draft)) {
    return (
      <CodeEditor
        {...ids}
        value={draft.json}
        onChange={(json) => onChange({ json })}
        language="json"
        label={`${label} as JSON`}
      />
    );
  }
  const { control } = field;
  const text = typeof draft === "string" ? draft : draft === null ? "" : JSON.stringify(draft);
  switch (control.kind) {
    case "text":
      return <TextInputControl ids={ids} format={control.format} text={text} onText={onChange} />;
    case "number":
      return (
        <div className="max-w-40">
          <NumberBox
            {...ids}
            text={text}
            onText={onChange}
            onStep={(steps) =>
              onChange(String(stepNumber(control.field, parseNumber(text), steps)))
            }
            lowest={control.field.minimum ?? control.field.exclusiveMinimum}
            highest={control.field.maximum ?? control.field.exclusiveMaximum}
          />
        </div>
      );
    case "boolean":
      return (
        <Checkbox
          {...ids}
          checked={text === "true"}
          onChange={(event) => onChange(String(event.target.checked))}
        />
      );
    case "choice":
      return <ChoiceControl {...{ field, ids, text, onChange }} choices={control.choices} />;
    case "texts":
      return (
        <TextsControl
          ids={ids}
          label={label}
          texts={Array.isArray(draft) ? draft : text === "" ? [] : [text]}
          onTexts={onChange}
        />
      );
    case "json":
      return <CodeEditor {...ids} value={text} onChange={onChange} language="json" label={label} />;
  }
}

interface ChoiceControlProps {
  readonly field: InputField;
  readonly choices: readonly unknown[];
  readonly ids: FieldIds;
  readonly text: string;
  readonly onChange: (draft: FieldDraft) => void;
}

function ChoiceControl({ field, choices, ids, text, onChange }: ChoiceControlProps) {
  const offered = choices.map((choice) => JSON.stringify(choice));
  return (
    <Select
      {...ids}
      className="w-full"
      value={text}
      onChange={(event) => onChange(event.target.value === "" ? null : event.target.value)}
    >
      {(text === "" || !field.isRequired) && (
        <option value="">{field.isRequired ? "Choose…" : "Leave out"}</option>
      )}
      {text !== "" && !offered.includes(text) && (
        <option value={text}>{text} (not offered any more)</option>
      )}
      {choices.map((choice) => (
        <option key={JSON.stringify(choice)} value={JSON.stringify(choice)}>
          {typeof choice === "string" && choice !== "" ? choice : JSON.stringify(choice)}
        </option>
      ))}
    </Select>
  );
}
