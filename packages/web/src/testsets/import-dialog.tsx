import type { TestRow } from "@agate/protocol";
import { type RowsReading, shownRowFault } from "@agate/protocol/testsets";
import { type DragEvent, useMemo, useState } from "react";
import { Button } from "../design/button.tsx";
import { classNames } from "../design/class-names.ts";
import { Dialog } from "../design/dialog.tsx";
import { Choice, Field, TextArea } from "../design/field.tsx";
import { readImport } from "./read-import.ts";
import {
  changeCounts,
  countsText,
  type ImportMode,
  importChanges,
  type RowChanges,
} from "./row-changes.ts";

interface ImportDialogProps {
  /** All rows of the set, with the changes of the draft. */
  readonly current: readonly TestRow[];
  /** A dropped or pasted file; empty to begin with nothing. */
  readonly initial: string;
  readonly inputSchema: Readonly<Record<string, unknown>> | undefined;
  readonly onImport: (changes: RowChanges) => void;
  readonly onClose: () => void;
}

const MODES = [
  { value: "add", label: "Add and update" },
  { value: "replace", label: "Replace all" },
] as const;

/** Reads rows of CSV or JSONL, and shows what they change before anything does. */
export function ImportDialog(props: ImportDialogProps) {
  const { current, initial, inputSchema, onImport, onClose } = props;
  const [text, setText] = useState(initial);
  const [mode, setMode] = useState<ImportMode>("add");
  const [isOver, setOver] = useState(false);
  const read = useMemo(
    () => (text.trim() === "" ? null : readImport(text, inputSchema)),
    [text, inputSchema],
  );
  const changes = useMemo(
    () => (read?.kind === "rows" ? importChanges(current, read.rows, mode) : null),
    [read, current, mode],
  );
  const drop = async (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const [file] = event.dataTransfer.files;
    setText(file === undefined ? event.dataTransfer.getData("text") : await file.text());
  };
  return (
    <Dialog
      title="Import rows"
      width="wide"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="primary"
            disabled={changes === null || changes.size === 0}
            onClick={() => {
              if (changes !== null) onImport(changes);
              onClose();
            }}
          >
            Apply to draft
          </Button>
        </>
      }
    >
      <Field
        label="CSV or JSONL"
        description="Paste rows, or drop a file. CSV has a header: id, inputs.NAME, expected or expected.NAME, metadata.NAME, tags; :json at the end of a name reads its cells as JSON."
      >
        {(ids) => (
          <TextArea
            {...ids}
            value={text}
            spellCheck={false}
            className={classNames("min-h-32 font-mono text-xs", isOver && "border-accent")}
            onChange={(event) => setText(event.target.value)}
            onDragOver={(event) => {
              event.preventDefault();
              setOver(true);
            }}
            onDragLeave={() => setOver(false)}
            onDrop={(event) => void drop(event)}
          />
        )}
      </Field>
      <Choice label="Import mode" options={MODES} value={mode} onChange={setMode} />
      {read !== null && <Preview read={read} changes={changes} />}
    </Dialog>
  );
}

/** More are only counted. */
const MOST_LISTED = 20;

interface PreviewProps {
  readonly read: RowsReading;
  readonly changes: RowChanges | null;
}

function Preview({ read, changes }: PreviewProps) {
  if (read.kind === "faults") {
    return (
      <div role="alert" className="rounded-lg bg-danger-soft px-3 py-2 text-danger">
        <p className="font-medium">Nothing can be imported:</p>
        <Lines lines={read.faults.map(shownRowFault)} />
      </div>
    );
  }
  if (changes === null) return null;
  return (
    <div role="status" aria-label="Preview" className="rounded-lg bg-sunken px-3 py-2">
      <p className="font-medium">
        {read.rows.length.toLocaleString("en")} read: {countsText(changeCounts(changes))}
      </p>
      <Lines lines={[...changes].map(([id, { kind }]) => `${kind}: ${id}`)} />
    </div>
  );
}

function Lines({ lines }: { readonly lines: readonly string[] }) {
  const left = lines.length - MOST_LISTED;
  return (
    <ul className="mt-1 max-h-48 overflow-y-auto text-[0.93rem]">
      {lines.slice(0, MOST_LISTED).map((line) => (
        <li key={line} className="wrap-anywhere">
          {line}
        </li>
      ))}
      {left > 0 && <li>and {left.toLocaleString("en")} more</li>}
    </ul>
  );
}
