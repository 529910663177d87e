import type { TestRow } from "@agate/protocol";
import { useState } from "react";
import { CodeEditor } from "../code-editor/code-editor.tsx";
import { FormDialog } from "../design/dialog.tsx";
import { Field, TextInput } from "../design/field.tsx";
import { draftOf, EMPTY_DRAFT, type RowDraft, type RowProblems, readDraft } from "./row-draft.ts";

interface RowDialogProps {
  /** The row as it is now; null for a new one. */
  readonly row: TestRow | null;
  /** Whether another row of the draft or of what was loaded has this id. */
  readonly isTaken: (id: string) => boolean;
  readonly onSave: (row: TestRow) => void;
  readonly onClose: () => void;
}

/** Edits a row: its inputs and expected value as JSON, and its tags. */
export function RowDialog({ row, isTaken, onSave, onClose }: RowDialogProps) {
  const [draft, setDraft] = useState<RowDraft>(() => (row === null ? EMPTY_DRAFT : draftOf(row)));
  const [problems, setProblems] = useState<RowProblems>({});
  const set = (field: keyof RowDraft) => (value: string) => {
    setDraft({ ...draft, [field]: value });
    setProblems({ ...problems, [field]: undefined });
  };
  const save = () => {
    const read = readDraft(draft, row);
    if (read.kind === "problems") return setProblems(read.problems);
    if (row === null && isTaken(read.row.id)) {
      return setProblems({ id: `A row with the id ${read.row.id} exists.` });
    }
    onSave(read.row);
    onClose();
  };
  return (
    <FormDialog
      title={row === null ? "New row" : `Row ${row.id}`}
      action={row === null ? "Add" : "Apply"}
      width="wide"
      onClose={onClose}
      onSubmit={save}
    >
      <Field
        label="Id"
        description={row === null ? "Optional: without one it is a hash of the inputs." : undefined}
        problem={problems.id}
      >
        {(ids) => (
          <TextInput
            {...ids}
            value={draft.id}
            readOnly={row !== null}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => set("id")(event.target.value)}
          />
        )}
      </Field>
      <JsonField
        label="Inputs"
        value={draft.inputs}
        problem={problems.inputs}
        onChange={set("inputs")}
      />
      <JsonField
        label="Expected"
        description="Optional. Any JSON; empty where nothing is expected."
        value={draft.expected}
        problem={problems.expected}
        onChange={set("expected")}
      />
      <Field label="Tags" description="Separated by commas." problem={problems.tags}>
        {(ids) => (
          <TextInput
            {...ids}
            value={draft.tags}
            onChange={(event) => set("tags")(event.target.value)}
          />
        )}
      </Field>
    </FormDialog>
  );
}

interface JsonFieldProps {
  readonly label: string;
  readonly description?: string;
  readonly value: string;
  readonly problem: string | undefined;
  readonly onChange: (text: string) => void;
}

function JsonField({ label, description, value, problem, onChange }: JsonFieldProps) {
  return (
    <Field label={label} description={description} problem={problem}>
      {(ids) => (
        <CodeEditor {...ids} label={label} language="json" value={value} onChange={onChange} />
      )}
    </Field>
  );
}
