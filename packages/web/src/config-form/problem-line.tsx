import type { FieldIds } from "../design/field.tsx";

/** Ties a control without a label that is seen to its name and, by `ProblemLine`, to what is wrong. */
export function idsOf(id: string, label: string, isInvalid: boolean): FieldIds {
  return {
    id,
    "aria-label": label,
    "aria-describedby": isInvalid ? `${id}-problem` : undefined,
    "aria-invalid": isInvalid ? true : undefined,
  };
}

export function ProblemLine({
  id,
  text,
}: {
  readonly id: string;
  readonly text: string | undefined;
}) {
  if (text === undefined) return null;
  return (
    <p id={id} role="alert" className="text-[0.93rem] text-danger">
      {text}
    </p>
  );
}
