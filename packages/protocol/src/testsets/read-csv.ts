import type { JsonSchema } from "../schema-ref.ts";
import { shownValue } from "../shown-value.ts";
import type { ColumnChoice } from "./column-choice.ts";
import { chosenColumns } from "./column-choice.ts";
import type { CsvColumn, CsvMapping } from "./csv-columns.ts";
import { readColumns } from "./csv-columns.ts";
import type { CsvRecord } from "./csv-records.ts";
import { readCsvRecords } from "./csv-records.ts";
import type { RawRow } from "./read-rows.ts";
import { readRows } from "./read-rows.ts";
import type { RowFault, RowsReading } from "./test-row.ts";
import { MOST_ROW_FAULTS } from "./test-row.ts";

export interface CsvOptions extends CsvMapping {
  /** The JSON Schema of the route's inputs: cells become what it says. */
  readonly inputSchema?: JsonSchema | undefined;
  /** What each column is, in the order of the file. Headers and the other options do not count then. */
  readonly columns?: readonly ColumnChoice[] | undefined;
}

/**
 * Reads the rows of a CSV file. Its headers name what the columns are (`id`, `inputs.text`,
 * `expected.label`, `metadata.page`, `tags`), or the options do.
 */
export function readCsv(text: string, options: CsvOptions = {}): RowsReading {
  const read = readCsvRecords(text);
  if (read.kind === "fault")
    return faulty([{ index: 0, line: read.line, path: [], msg: read.msg }]);
  const [header, ...records] = read.records;
  if (header === undefined) {
    return faulty([{ index: 0, line: 1, path: [], msg: "The file has no header." }]);
  }
  const columns = options.columns
    ? chosenColumns(header.cells, options.columns)
    : readColumns(header.cells, options);
  if (columns.kind === "faults") {
    const { line } = header;
    return faulty(columns.faults.map((fault) => ({ index: 0, line, ...fault })));
  }
  const rows: RawRow[] = [];
  const faults: RowFault[] = [];
  for (const [index, record] of records.entries()) {
    const row = readRecord(record, columns.columns, header.cells.length);
    if (row.kind === "row") rows.push({ value: row.value, line: record.line });
    else faults.push(...row.faults.map((fault) => ({ index, line: record.line, ...fault })));
    if (faults.length >= MOST_ROW_FAULTS) break;
  }
  return faults.length > 0 ? faulty(faults) : readRows(rows);
}

function faulty(faults: readonly RowFault[]): RowsReading {
  const [first, ...others] = faults.slice(0, MOST_ROW_FAULTS);
  if (first === undefined) throw new Error("There is no fault");
  return { kind: "faults", faults: [first, ...others] };
}

type Fault = Pick<RowFault, "path" | "msg">;
type RecordReading =
  | { readonly kind: "row"; readonly value: unknown }
  | { readonly kind: "faults"; readonly faults: readonly Fault[] };

function readRecord(
  { cells }: CsvRecord,
  columns: readonly CsvColumn[],
  width: number,
): RecordReading {
  if (cells.length !== width) {
    const msg = `Has ${cells.length} cells; the header has ${width}.`;
    return { kind: "faults", faults: [{ path: [], msg }] };
  }
  const faults: Fault[] = [];
  const row = new Map<string, unknown>([["inputs", new Map()]]);
  for (const { index, header, path, cell: kind } of columns) {
    const cell = cells[index]!;
    // Nothing was written there; an empty text is written as "".
    if (cell.text === "" && !cell.isQuoted) continue;
    const value = readCell(kind, cell.text);
    if (value.kind === "value") place(row, path, value.value);
    else faults.push({ path: [header], msg: value.msg });
  }
  return faults.length > 0 ? { kind: "faults", faults } : { kind: "row", value: asObject(row) };
}

type CellReading =
  | { readonly kind: "value"; readonly value: unknown }
  | { readonly kind: "fault"; readonly msg: string };

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

function readCell(kind: CsvColumn["cell"], text: string): CellReading {
  switch (kind) {
    case "text":
      return { kind: "value", value: text };
    case "number": {
      const value = NUMBER.test(text.trim()) ? Number(text) : Number.NaN;
      if (Number.isFinite(value)) return { kind: "value", value };
      return { kind: "fault", msg: `Must be a number (got ${shownValue(text)}).` };
    }
    case "boolean": {
      const word = text.trim().toLowerCase();
      if (word === "true" || word === "false") return { kind: "value", value: word === "true" };
      return { kind: "fault", msg: `Must be true or false (got ${shownValue(text)}).` };
    }
    case "tags":
      return {
        kind: "value",
        value: text
          .split(",")
          .map((tag) => tag.trim())
          .filter(Boolean),
      };
    case "json":
      try {
        return { kind: "value", value: JSON.parse(text) };
      } catch {
        return { kind: "fault", msg: `Must be JSON (got ${shownValue(text)}).` };
      }
  }
}

/** Objects as maps, until all cells are in: a column may be called `__proto__`. */
type Fields = Map<string, unknown>;

function place(row: Fields, path: readonly string[], value: unknown): void {
  let fields = row;
  for (const step of path.slice(0, -1)) {
    const inner = fields.get(step);
    const next: Fields = inner instanceof Map ? inner : new Map();
    fields.set(step, next);
    fields = next;
  }
  fields.set(path.at(-1)!, value);
}

function asObject(fields: Fields): unknown {
  return Object.fromEntries(
    [...fields].map(([name, value]) => [name, value instanceof Map ? asObject(value) : value]),
  );
}
