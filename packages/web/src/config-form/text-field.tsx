import { Maximize2 } from "lucide-react";
import { useState } from "react";
import { CodeEditor } from "../code-editor/code-editor.tsx";
import { Button, IconButton } from "../design/button.tsx";
import { Dialog } from "../design/dialog.tsx";
import type { FieldIds } from "../design/field.tsx";
import { TextArea } from "../design/field.tsx";
import { formatCount } from "../format/format-count.ts";
import { TemplateArea } from "./template-area.tsx";

interface TextFieldProps {
  readonly label: string;
  readonly ids: FieldIds;
  readonly value: unknown;
  /** Its `{{variables}}` stand out; those that are not among these as mistakes. */
  readonly template?: { readonly variables: readonly string[] | undefined } | undefined;
  readonly onChange: (value: string) => void;
}

/** From here on it helps to know how much it is. */
const LONG = 200;

/** A text area that grows, with a larger place to write prompts in. */
export function TextField({ label, ids, value, template, onChange }: TextFieldProps) {
  const [isLarge, setLarge] = useState(false);
  // A value of another type is marked, and stays what it is until something is typed.
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return (
    <div className="flex flex-col gap-1">
      <div className="relative flex">
        {template === undefined ? (
          <TextArea
            {...ids}
            value={text}
            onChange={(event) => onChange(event.target.value)}
            className="pr-8"
          />
        ) : (
          <TemplateArea
            {...ids}
            value={text}
            variables={template.variables}
            onChange={(event) => onChange(event.target.value)}
            className="pr-8"
          />
        )}
        <IconButton
          icon={Maximize2}
          label={`Edit ${label} in a larger editor`}
          onClick={() => setLarge(true)}
          className="absolute top-1 right-1"
        />
      </div>
      {text.length >= LONG && (
        <p className="text-right text-xs text-ink-soft tabular-nums">
          {formatCount(text.length)} characters
        </p>
      )}
      {isLarge && (
        <Dialog
          title={label}
          width="wide"
          onClose={() => setLarge(false)}
          actions={
            <Button look="primary" onClick={() => setLarge(false)}>
              Done
            </Button>
          }
        >
          <CodeEditor value={text} onChange={onChange} language="text" label={label} size="large" />
        </Dialog>
      )}
    </div>
  );
}
