import type { ConfigFieldSchema } from "@agate/protocol";
import { isRecord } from "@agate/protocol";
import { Plus } from "lucide-react";
import { useId } from "react";
import { Button } from "../design/button.tsx";
import { nextMessage } from "./blank-value.ts";
import { ChoiceField } from "./choice-field.tsx";
import { withValue } from "./config-values.ts";
import {
  type FieldProblem,
  problemsAt,
  problemsBelow,
  problemsElsewhere,
} from "./field-problem.ts";
import type { ListEdit } from "./list-edit.tsx";
import { ItemButtons, useListEdits } from "./list-edit.tsx";
import { idsOf, ProblemLine } from "./problem-line.tsx";
import { TextField } from "./text-field.tsx";

interface MessagesControlProps {
  readonly field: ConfigFieldSchema;
  readonly label: string;
  readonly value: readonly unknown[];
  readonly problems: readonly FieldProblem[];
  readonly onChange: (value: readonly unknown[]) => void;
}

/** The messages of a prompt, each with its role. */
export function MessagesControl({ field, label, value, problems, onChange }: MessagesControlProps) {
  const { container, edit } = useListEdits(value, onChange);
  const variables = field.items?.properties?.content?.["x-ag-variables"];
  return (
    <div ref={container} className="flex flex-col gap-2">
      {variables !== undefined && variables.length > 0 && (
        <p className="text-[0.93rem] text-ink-soft">
          Variables:{" "}
          {variables.map((name) => (
            <code
              key={name}
              className="mr-1.5 rounded-sm bg-accent-soft px-1 font-mono text-accent"
            >
              {`{{${name}}}`}
            </code>
          ))}
        </p>
      )}
      <ol className="flex flex-col gap-2">
        {value.map((message, index) => (
          <MessageItem
            // biome-ignore lint/suspicious/noArrayIndexKey: messages have no other identity.
            key={index}
            field={field}
            label={label}
            index={index}
            length={value.length}
            message={message}
            problems={problemsBelow(problems, index)}
            onEdit={edit}
          />
        ))}
      </ol>
      <Button
        size="small"
        look="quiet"
        data-list-place="add"
        onClick={() => edit({ kind: "add", item: nextMessage(value) })}
        className="self-start"
      >
        <Plus size={14} aria-hidden /> Add message
      </Button>
    </div>
  );
}

interface MessageItemProps {
  readonly field: ConfigFieldSchema;
  readonly label: string;
  readonly index: number;
  readonly length: number;
  readonly message: unknown;
  readonly problems: readonly FieldProblem[];
  readonly onEdit: (edit: ListEdit) => void;
}

function MessageItem(props: MessageItemProps) {
  const { field, label, index, length, message, problems, onEdit } = props;
  const id = useId();
  const { role, content } = field.items?.properties ?? {};
  const values = isRecord(message) ? message : {};
  const name = `message ${index + 1} of ${label}`;
  const change = (part: string, value: unknown) =>
    onEdit({ kind: "change", index, item: withValue(values, part, value) });
  const contentProblem = problemsAt(problems, "content");
  const others = [
    problemsAt(problems, "role"),
    ...problemsElsewhere(problems, new Set(["role", "content"])),
  ].filter((text) => text !== undefined);
  return (
    <li
      data-list-place={`item ${index}`}
      className="flex flex-col gap-1 rounded-md border border-line p-2"
    >
      <div className="flex items-center justify-between gap-2">
        {role !== undefined && (
          <div className="w-32">
            <ChoiceField
              field={role}
              ids={idsOf(`${id}-role`, `Role of ${name}`, others.length > 0)}
              value={values.role}
              onChange={(value) => change("role", value)}
            />
          </div>
        )}
        <ItemButtons
          name={name}
          index={index}
          length={length}
          minItems={field.minItems ?? 0}
          onEdit={onEdit}
        />
      </div>
      <TextField
        label={`Content of ${name}`}
        ids={idsOf(`${id}-content`, `Content of ${name}`, contentProblem !== undefined)}
        value={values.content ?? ""}
        template={{ variables: content?.["x-ag-variables"] }}
        onChange={(value) => change("content", value)}
      />
      <ProblemLine id={`${id}-content-problem`} text={contentProblem} />
      <ProblemLine id={`${id}-role-problem`} text={others.join(" ") || undefined} />
    </li>
  );
}
