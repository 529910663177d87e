import type { FieldIds } from "../design/field.tsx";

/** The ids of a control without a visible label: its name, and the id of its `ProblemLine`. */
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

/** Problems that belong to no field. */
export function ProblemSummary({ messages }: { readonly messages: readonly string[] }) {
  if (messages.length === 0) return null;
  return (
    <div role="alert" className="rounded-md bg-danger-soft px-3 py-2 text-danger">
      <ul className="flex flex-col gap-1">
        {[...new Set(messages)].map((message) => (
          <li key={message}>{message}</li>
        ))}
      </ul>
    </div>
  );
}
