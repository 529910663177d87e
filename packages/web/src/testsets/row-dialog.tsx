import type { TestRow } from "@agate/protocol";
import { useId, useState } from "react";
import { CodeEditor } from "../code-editor/code-editor.tsx";
import { Button } from "../design/button.tsx";
import { Dialog } from "../design/dialog.tsx";
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
  const formId = useId();
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
    <Dialog
      title={row === null ? "New row" : `Row ${row.id}`}
      width="wide"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" form={formId}>
            {row === null ? "Add" : "Apply"}
          </Button>
        </>
      }
    >
      <form
        id={formId}
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <Field
          label="Id"
          description={
            row === null ? "Optional: without one it is a hash of the inputs." : undefined
          }
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
        <Field label="Inputs" problem={problems.inputs}>
          {(ids) => (
            <CodeEditor
              {...ids}
              label="Inputs"
              language="json"
              value={draft.inputs}
              onChange={set("inputs")}
            />
          )}
        </Field>
        <Field
          label="Expected"
          description="Optional. Any JSON; empty where nothing is expected."
          problem={problems.expected}
        >
          {(ids) => (
            <CodeEditor
              {...ids}
              label="Expected"
              language="json"
              value={draft.expected}
              onChange={set("expected")}
            />
          )}
        </Field>
        <Field label="Tags" description="Separated by commas." problem={problems.tags}>
          {(ids) => (
            <TextInput
              {...ids}
              value={draft.tags}
              onChange={(event) => set("tags")(event.target.value)}
            />
          )}
        </Field>
      </form>
    </Dialog>
  );
}
