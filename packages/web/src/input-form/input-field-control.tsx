import { Plus, X } from "lucide-react";
import { CodeEditor } from "../code-editor/code-editor.tsx";
import { stepNumber } from "../config-form/number-range.ts";
import { Button, IconButton } from "../design/button.tsx";
import type { FieldIds } from "../design/field.tsx";
import { Checkbox, Select, TextArea, TextInput } from "../design/field.tsx";
import { NumberBox, parseNumber } from "../design/number-box.tsx";
import { type FieldDraft, isJsonDraft } from "./field-draft.ts";
import type { InputField } from "./input-fields.ts";

interface InputFieldControlProps {
  readonly field: InputField;
  readonly label: string;
  readonly ids: FieldIds;
  readonly draft: FieldDraft;
  readonly onChange: (draft: FieldDraft) => void;
}

/** The control for the schema of an input; a JSON editor for a value that does not fit it. */
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
        <option value="">{field.isRequired ? "Choose…" : "Omit"}</option>
      )}
      {text !== "" && !offered.includes(text) && (
        <option value={text}>{text} (no longer available)</option>
      )}
      {choices.map((choice) => (
        <option key={JSON.stringify(choice)} value={JSON.stringify(choice)}>
          {typeof choice === "string" && choice !== "" ? choice : JSON.stringify(choice)}
        </option>
      ))}
    </Select>
  );
}

interface TextInputControlProps {
  readonly ids: FieldIds;
  readonly format: string | null;
  readonly text: string;
  readonly onText: (text: string) => void;
}

interface Line {
  readonly type: "text" | "email" | "url" | "date";
  readonly placeholder?: string;
}

/** JSON Schema formats with a single-line input. */
const LINES: Readonly<Record<string, Line>> = {
  email: { type: "email", placeholder: "name@example.org" },
  uri: { type: "url", placeholder: "https://…" },
  date: { type: "date" },
  "date-time": { type: "text", placeholder: "2026-11-15T10:00:00Z" },
  time: { type: "text", placeholder: "10:00:00" },
  uuid: { type: "text", placeholder: "00000000-0000-4000-8000-000000000000" },
};

/** A single-line input for some formats, otherwise a growing text area. */
function TextInputControl({ ids, format, text, onText }: TextInputControlProps) {
  const line = format !== null && Object.hasOwn(LINES, format) ? LINES[format] : undefined;
  // A single-line input would drop line breaks.
  if (line === undefined || text.includes("\n")) {
    return <TextArea {...ids} value={text} onChange={(event) => onText(event.target.value)} />;
  }
  // A native date input shows nothing for an invalid date.
  const isOddDate = line.type === "date" && text !== "" && !/^\d{4}-\d\d-\d\d$/.test(text);
  return (
    <TextInput
      {...ids}
      type={isOddDate ? "text" : line.type}
      placeholder={line.placeholder}
      value={text}
      onChange={(event) => onText(event.target.value)}
    />
  );
}

interface TextsControlProps {
  readonly ids: FieldIds;
  readonly label: string;
  readonly texts: readonly string[];
  readonly onTexts: (texts: readonly string[]) => void;
}

/** A list of texts, one area each. */
function TextsControl({ ids, label, texts, onTexts }: TextsControlProps) {
  const { id, ...about } = ids;
  return (
    <div className="flex flex-col gap-1.5">
      {texts.map((text, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: texts have no other identity.
        <div key={index} className="flex items-start gap-1">
          <TextArea
            {...about}
            id={index === 0 ? id : undefined}
            aria-label={`${label}, text ${index + 1}`}
            value={text}
            onChange={(event) => onTexts(texts.with(index, event.target.value))}
          />
          <IconButton
            icon={X}
            label={`Remove text ${index + 1} of ${label}`}
            onClick={() => onTexts(texts.toSpliced(index, 1))}
          />
        </div>
      ))}
      <Button
        size="small"
        look="quiet"
        id={texts.length === 0 ? id : undefined}
        onClick={() => onTexts([...texts, ""])}
        className="self-start"
      >
        <Plus size={14} aria-hidden /> Add text
      </Button>
    </div>
  );
}
