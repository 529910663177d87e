import type { RouteSchema } from "@agate/protocol";
import { useState } from "react";
import { CodeEditor } from "../code-editor/code-editor.tsx";
import { type FieldProblem, problemsAt, problemsElsewhere } from "../config-form/field-problem.ts";
import { ProblemSummary } from "../config-form/problem-summary.tsx";
import {
  fittingDraft,
  type InputDraft,
  type Switched,
  switchToForm,
  switchToJson,
  typedProblems,
} from "./input-draft.ts";
import { InputFieldEditor } from "./input-field-editor.tsx";
import { inputFields } from "./input-fields.ts";
import { ownValue } from "./json-schema.ts";
import { ModeSwitch } from "./mode-switch.tsx";

interface InputFormProps {
  readonly schema: RouteSchema["inputs"];
  readonly draft: InputDraft;
  /** Of the server, and of `parseDraft` once somebody tried to send it. */
  readonly problems: readonly FieldProblem[];
  readonly onChange: (draft: InputDraft) => void;
}

/** The inputs of a route: fields by its schema, or JSON. */
export function InputForm({ schema, draft: given, problems, onChange }: InputFormProps) {
  const [refusal, setRefusal] = useState<string | null>(null);
  const draft = fittingDraft(schema, given);
  const fields = inputFields(schema);
  const all = [...typedProblems(schema, draft), ...problems];
  const change = (next: InputDraft) => {
    setRefusal(null);
    onChange(next);
  };
  const take = (switched: Switched) => {
    if (switched.kind === "switched") change(switched.draft);
    else setRefusal(switched.reason);
  };
  return (
    <div className="flex flex-col gap-3">
      {fields !== null && fields.length > 0 && (
        <ModeSwitch
          mode={draft.mode}
          refusal={refusal}
          onSwitch={(mode) =>
            take(mode === "json" ? switchToJson(schema, draft) : switchToForm(schema, draft))
          }
        />
      )}
      {draft.mode === "json" ? (
        <JsonInputs
          isDescribed={fields !== null}
          text={draft.text}
          problem={allText(all)}
          onChange={(text) => change({ mode: "json", text })}
        />
      ) : (
        <>
          <ProblemSummary
            messages={problemsElsewhere(all, new Set(fields?.map(({ name }) => name)))}
          />
          {fields?.length === 0 && <p className="text-ink-soft">This route takes no inputs.</p>}
          {fields?.map((field) => (
            <InputFieldEditor
              key={field.name}
              field={field}
              draft={ownValue(draft.fields, field.name) ?? null}
              problem={problemsAt(all, field.name)}
              onChange={(value) =>
                change({ mode: "form", fields: { ...draft.fields, [field.name]: value } })
              }
            />
          ))}
        </>
      )}
    </div>
  );
}

function allText(problems: readonly FieldProblem[]): string | undefined {
  const messages = problemsElsewhere(problems, new Set());
  return messages.length === 0 ? undefined : [...new Set(messages)].join(" ");
}

interface JsonInputsProps {
  /** Whether the route says what it takes. */
  readonly isDescribed: boolean;
  readonly text: string;
  readonly problem: string | undefined;
  readonly onChange: (text: string) => void;
}

function JsonInputs({ isDescribed, text, problem, onChange }: JsonInputsProps) {
  return (
    <>
      {!isDescribed && (
        <p className="text-[0.93rem] text-ink-soft">
          The route does not name its inputs, so they are written as JSON.
        </p>
      )}
      <CodeEditor
        value={text}
        onChange={onChange}
        language="json"
        label="Inputs as JSON"
        problem={problem}
      />
    </>
  );
}
