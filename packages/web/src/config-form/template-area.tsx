import { splitTemplate } from "@agate/protocol";
import type { ComponentProps } from "react";
import { classNames } from "../design/class-names.ts";
import { TextArea } from "../design/field.tsx";

interface TemplateAreaProps extends Omit<ComponentProps<"textarea">, "value"> {
  readonly value: string;
  /** Undefined: any variable is one. */
  readonly variables: readonly string[] | undefined;
}

/** Both layers break their lines at the same places only if all of this is the same. */
const LAYER_CLASS = "col-start-1 row-start-1 max-h-none min-h-16 py-1.5 leading-relaxed";

/** A text area whose `{{variables}}` stand out: a layer behind it has the same text, with marks. */
export function TemplateArea({ value, variables, className, ...rest }: TemplateAreaProps) {
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
        {/* A line break at the end would be no line of its own here. */}
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
