import type { ReactNode } from "react";
import { useId } from "react";

/** What ties a control to its label, description and problem. */
export interface FieldIds {
  readonly id: string;
  readonly "aria-describedby": string | undefined;
  readonly "aria-invalid": true | undefined;
  /** For a control without a label that is seen. */
  readonly "aria-label"?: string | undefined;
}

interface FieldProps {
  readonly label: ReactNode;
  readonly description?: ReactNode;
  /** What is wrong with the value; shown, and read out. */
  readonly problem?: string | undefined;
  /** Stands at the end of the label's line. */
  readonly aside?: ReactNode;
  /** The control stands before its label, as a checkbox does. */
  readonly isInline?: boolean;
  readonly children: (ids: FieldIds) => ReactNode;
}

/**
 * A control with its label, what there is to know about it and what is wrong.
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
