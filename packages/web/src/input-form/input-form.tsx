import type { RouteSchema } from "@agate/protocol";
import { memo } from "react";
import { CodeEditor } from "../code-editor/code-editor.tsx";
import { ownField } from "../config-form/config-values.ts";
import { type FieldProblem, problemsAt, problemsElsewhere } from "../config-form/field-problem.ts";
import { ProblemSummary } from "../config-form/problem-line.tsx";
import { fittingDraft, type InputDraft, typedProblems } from "./input-draft.ts";
import { InputFieldEditor } from "./input-field-editor.tsx";
import { type InputFields, inputFields } from "./input-fields.ts";

interface InputFormProps {
  readonly schema: RouteSchema["inputs"];
  readonly draft: InputDraft;
  /** From the server, and from `parseDraft` after the user tried to run the case. */
  readonly problems: readonly FieldProblem[];
  readonly onChange: (draft: InputDraft) => void;
}

/** The inputs of a route, as a form or as JSON. Memoised, because there may be many cases. */
export const InputForm = memo(function InputForm(props: InputFormProps) {
  const { schema, draft: given, problems, onChange } = props;
  const draft = fittingDraft(schema, given);
  const form = inputFields(schema);
  const all = [...typedProblems(schema, draft), ...problems];
  if (draft.mode === "json" || form === null) {
    return (
      <JsonInputs
        isDescribed={form !== null}
        text={draft.mode === "json" ? draft.text : ""}
        problem={allText(all)}
        onChange={(text) => onChange({ mode: "json", text })}
      />
    );
  }
  return (
    <div className="flex flex-col gap-3">
      <ProblemSummary messages={form.isWhole ? [] : problemsOfNoField(form, all)} />
      {form.fields.length === 0 && <p className="text-ink-soft">This route takes no inputs.</p>}
      {form.fields.map((field) => (
        <InputFieldEditor
          key={field.name}
          field={field}
          draft={ownField(draft.fields, field.name) ?? null}
          problem={form.isWhole ? allText(all) : problemsAt(all, field.name)}
          onChange={(value) =>
            onChange({ mode: "form", fields: { ...draft.fields, [field.name]: value } })
          }
        />
      ))}
    </div>
  );
});

function problemsOfNoField(
  { fields }: InputFields,
  problems: readonly FieldProblem[],
): readonly string[] {
  return problemsElsewhere(problems, new Set(fields.map(({ name }) => name)));
}

function allText(problems: readonly FieldProblem[]): string | undefined {
  const messages = problemsElsewhere(problems, new Set());
  return messages.length === 0 ? undefined : [...new Set(messages)].join(" ");
}

interface JsonInputsProps {
  /** Whether the route has an input schema. */
  readonly isDescribed: boolean;
  readonly text: string;
  readonly problem: string | undefined;
  readonly onChange: (text: string) => void;
}

function JsonInputs({ isDescribed, text, problem, onChange }: JsonInputsProps) {
  return (
    <div className="flex flex-col gap-3">
      {!isDescribed && (
        <p className="text-[0.93rem] text-ink-soft">This route has no input schema; enter JSON.</p>
      )}
      <CodeEditor
        value={text}
        onChange={onChange}
        language="json"
        label="Inputs as JSON"
        problem={problem}
      />
    </div>
  );
}
