import { splitTemplate } from "@agate/protocol";
import { formatCompactCount } from "@agate/protocol/format";
import { Maximize2 } from "lucide-react";
import type { ComponentProps } from "react";
import { useState } from "react";
import { CodeEditor } from "../code-editor/code-editor.tsx";
import { Button, IconButton } from "../design/button.tsx";
import { classNames } from "../design/class-names.ts";
import { Dialog } from "../design/dialog.tsx";
import type { FieldIds } from "../design/field.tsx";
import { TextArea } from "../design/field.tsx";

interface TextFieldProps {
  readonly label: string;
  readonly ids: FieldIds;
  readonly value: unknown;
  /** Highlights `{{variables}}`; unknown ones as mistakes. */
  readonly template?: { readonly variables: readonly string[] | undefined } | undefined;
  readonly onChange: (value: string) => void;
}

/** From this length on, the number of characters is shown. */
const LONG = 200;

/** A growing text area, with a dialog for long prompts. */
export function TextField({ label, ids, value, template, onChange }: TextFieldProps) {
  const [isLarge, setLarge] = useState(false);
  // A value of another type is reported, and stays as it is until something is typed.
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
          {formatCompactCount(text.length)} characters
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

interface TemplateAreaProps extends Omit<ComponentProps<"textarea">, "value"> {
  readonly value: string;
  /** Undefined: all variables are known. */
  readonly variables: readonly string[] | undefined;
}

/** Both layers need the same styles, or their lines break at different places. */
const LAYER_CLASS = "col-start-1 row-start-1 max-h-none min-h-16 py-1.5 leading-relaxed";

/** A text area that highlights `{{variables}}`: a layer behind it has the same text with marks. */
function TemplateArea({ value, variables, className, ...rest }: TemplateAreaProps) {
  return (
    <div className="grid min-w-0 flex-1 rounded-md bg-surface">
      <div
        aria-hidden
        className={classNames(
          LAYER_CLASS,
          "pointer-events-none overflow-hidden border border-transparent px-2.5 wrap-anywhere whitespace-pre-wrap text-transparent",
          className,
        )}
      >
        {splitTemplate(value).map(({ text, variable }, index) =>
          variable === undefined ? (
            text
          ) : (
            <mark
              // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no other name.
              key={index}
              className={classNames(
                "rounded-sm text-transparent",
                variables === undefined || variables.includes(variable)
                  ? "bg-accent-soft"
                  : "bg-danger-soft underline decoration-danger decoration-wavy",
              )}
            >
              {text}
            </mark>
          ),
        )}
        {/* Without it, a trailing line break would not add a line. */}
        {"\n"}
      </div>
      <TextArea
        {...rest}
        dir={undefined}
        value={value}
        className={classNames(LAYER_CLASS, "bg-transparent wrap-anywhere", className)}
      />
    </div>
  );
}
