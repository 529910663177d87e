import { shownValue } from "@agate/protocol";
import { X } from "lucide-react";
import { IconButton } from "../design/button.tsx";
import type { ConfigValues } from "./config-values.ts";
import { type FieldProblem, problemsAt } from "./field-problem.ts";

interface UnknownFieldsProps {
  readonly names: readonly string[];
  readonly values: ConfigValues;
  readonly problems: readonly FieldProblem[];
  readonly onRemove: (name: string) => void;
}

/** Values of fields that the route does not have. */
export function UnknownFields({ names, values, problems, onRemove }: UnknownFieldsProps) {
  if (names.length === 0) return null;
  return (
    <section
      aria-label="Unknown fields"
      className="flex flex-col gap-2 rounded-md border border-danger p-3"
    >
      <p className="font-medium">The route does not have these fields</p>
      <ul className="flex flex-col gap-2">
        {names.map((name) => (
          <li key={name} className="flex items-start gap-2">
            <div className="min-w-0 flex-1">
              <code className="font-mono break-words">
                {name}: {shownValue(values[name])}
              </code>
              <p className="text-[0.93rem] text-danger">{problemsAt(problems, name)}</p>
            </div>
            <IconButton
              icon={X}
              label={`Remove ${name}`}
              data-problem
              onClick={() => onRemove(name)}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}
