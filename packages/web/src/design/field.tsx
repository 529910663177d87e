import { ChevronDown } from "lucide-react";
import type { ComponentProps, ReactNode } from "react";
import { useId } from "react";
import { classNames } from "./class-names.ts";

/** The classes of every input control. */
export const CONTROL_CLASS =
  "w-full rounded-md border border-line-strong/60 bg-surface px-2.5 text-ink transition-colors hover:border-line-strong disabled:opacity-60 aria-invalid:border-danger";

/** The attributes that tie a control to its label, description and problem. */
export interface FieldIds {
  readonly id: string;
  readonly "aria-describedby": string | undefined;
  readonly "aria-invalid": true | undefined;
  /** For a control without a visible label. */
  readonly "aria-label"?: string | undefined;
}

interface FieldProps {
  readonly label: ReactNode;
  readonly description?: ReactNode;
  /** What is wrong with the value. */
  readonly problem?: string | undefined;
  /** At the end of the label's line. */
  readonly aside?: ReactNode;
  /** Puts the control before its label, as for a checkbox. */
  readonly isInline?: boolean;
  readonly children: (ids: FieldIds) => ReactNode;
}

/**
 * A control with its label, description and problem.
 *
 * @example <Field label="Name">{(ids) => <TextInput {...ids} value={name} onChange={…} />}</Field>
 */
export function Field({ label, description, problem, aside, isInline, children }: FieldProps) {
  const id = useId();
  const described = [description && `${id}-about`, problem && `${id}-problem`].filter(Boolean);
  const control = children({
    id,
    "aria-describedby": described.length > 0 ? described.join(" ") : undefined,
    "aria-invalid": problem === undefined ? undefined : true,
  });
  return (
    <div className="flex flex-col gap-1">
      <div className="flex min-h-5 items-center gap-2">
        {isInline && control}
        <label htmlFor={id} className="min-w-0 flex-1 font-medium wrap-anywhere">
          {label}
        </label>
        {aside}
      </div>
      {!isInline && control}
      {description && (
        <p id={`${id}-about`} className="text-[0.93rem] text-ink-soft">
          {description}
        </p>
      )}
      {problem !== undefined && (
        <p id={`${id}-problem`} role="alert" className="text-[0.93rem] text-danger">
          {problem}
        </p>
      )}
    </div>
  );
}

/** A single-line text input. Give it a label: see {@link Field}. */
export function TextInput({ className, ...rest }: ComponentProps<"input">) {
  return <input dir="auto" className={classNames(CONTROL_CLASS, "h-8", className)} {...rest} />;
}

/** A text area that grows with its content, up to a limit. */
export function TextArea({ className, ...rest }: ComponentProps<"textarea">) {
  return (
    <textarea
      dir="auto"
      className={classNames(
        CONTROL_CLASS,
        "field-sizing-content max-h-80 min-h-16 py-1.5 leading-relaxed",
        className,
      )}
      {...rest}
    />
  );
}

/**
 * The browser's select, which works with every keyboard, phone and screen reader. Groups are
 * `<optgroup>`.
 */
export function Select({ className, children, ...rest }: ComponentProps<"select">) {
  return (
    <span className={classNames("relative inline-flex", className)}>
      <select className={classNames(CONTROL_CLASS, "h-8 appearance-none pr-8")} {...rest}>
        {children}
      </select>
      <ChevronDown
        size={14}
        aria-hidden
        className="pointer-events-none absolute top-1/2 right-2.5 -translate-y-1/2 text-ink-soft"
      />
    </span>
  );
}

/** A checkbox in the page's colours. Give it a label. */
export function Checkbox({ className, ...rest }: Omit<ComponentProps<"input">, "type">) {
  return (
    <input
      type="checkbox"
      className={classNames("size-4 shrink-0 cursor-pointer accent-accent", className)}
      {...rest}
    />
  );
}

interface ChoiceProps<Value extends string> {
  /** The accessible name. */
  readonly label: string;
  readonly options: readonly { readonly value: Value; readonly label: string }[];
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}

/** A segmented control: a few options side by side, one selected. */
export function Choice<Value extends string>(props: ChoiceProps<Value>) {
  const { label, options, value, onChange } = props;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out in a line with others
    <div
      role="group"
      aria-label={label}
      className="inline-flex rounded-md border border-line bg-sunken p-0.5"
    >
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === value}
          onClick={() => onChange(option.value)}
          className={classNames(
            "rounded px-2 py-0.5 text-xs font-medium",
            option.value === value
              ? "bg-surface text-ink shadow-sm"
              : "text-ink-soft hover:text-ink",
          )}
        >
          {option.label}
        </button>
      ))}
    </div>
  );
}
