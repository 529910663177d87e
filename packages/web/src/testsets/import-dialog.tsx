import type { TestRow } from "@agate/protocol";
import {
  type ColumnChoice,
  type CsvHeader,
  guessColumns,
  inputFields,
  type RowsReading,
  readCsv,
  readCsvHeader,
  readJsonl,
  shownRowFault,
} from "@agate/protocol/testsets";
import { type DragEvent, useMemo, useState } from "react";
import { Button } from "../design/button.tsx";
import { classNames } from "../design/class-names.ts";
import { Dialog } from "../design/dialog.tsx";
import { Choice, Field, TextArea } from "../design/field.tsx";
import { ColumnChoices } from "./column-choices.tsx";
import {
  changeCounts,
  countsText,
  type ImportMode,
  importChanges,
  type RowChange,
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
  const columns = useColumns(text, inputSchema);
  const read = useMemo(() => readImport(text, columns.choices), [text, columns.choices]);
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
        description="Paste rows, or drop a file. The first line of CSV names its columns."
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
      {columns.header !== null && columns.choices !== null && (
        <ColumnChoices
          header={columns.header}
          choices={columns.choices}
          fields={inputFields(inputSchema)}
          onChange={columns.choose}
        />
      )}
      <Choice label="Import mode" options={MODES} value={mode} onChange={setMode} />
      {read !== null && <Preview read={read} changes={changes} />}
    </Dialog>
  );
}

/** The columns of pasted CSV: as they are probably meant, until others are chosen. */
function useColumns(text: string, inputSchema: ImportDialogProps["inputSchema"]) {
  const read = useMemo(() => (isJsonl(text) ? null : readCsvHeader(text)), [text]);
  // Further rows are no reason to guess again.
  const key = JSON.stringify(read?.headers ?? null);
  const guessed = useMemo(
    () => guessColumns((JSON.parse(key) as CsvHeader["headers"] | null) ?? [], inputSchema),
    [key, inputSchema],
  );
  const [chosen, setChosen] = useState<{ key: string; choices: readonly ColumnChoice[] } | null>(
    null,
  );
  return {
    /** Null for JSONL, and for CSV without a valid header. */
    header: read,
    choices: read === null ? null : chosen?.key === key ? chosen.choices : guessed,
    choose: (choices: readonly ColumnChoice[]) => setChosen({ key, choices }),
  };
}

/** JSONL begins with an object; anything else is CSV. */
export function isJsonl(text: string): boolean {
  return /^\uFEFF?\s*\{/.test(text);
}

function readImport(text: string, columns: readonly ColumnChoice[] | null): RowsReading | null {
  if (text.trim() === "") return null;
  return isJsonl(text) ? readJsonl(text) : readCsv(text, { columns: columns ?? undefined });
}

/** More are only counted. */
const MOST_LISTED = 20;
/** Characters of a value. */
const MOST_SHOWN = 200;

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
      <Lines
        lines={[...changes].map(([id, change]) => `${change.kind}: ${id}${contentOf(change)}`)}
      />
    </div>
  );
}

/** As JSON, in which a number and the same number as a text differ. */
function contentOf(change: RowChange): string {
  if (change.kind === "removed") return "";
  const { inputs, expected } = change.row;
  const given = ` ${JSON.stringify(inputs).slice(0, MOST_SHOWN)}`;
  if (expected === undefined) return given;
  return `${given} → ${JSON.stringify(expected).slice(0, MOST_SHOWN)}`;
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
