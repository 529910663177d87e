import { isRecord } from "../json-value.ts";
import type { JsonSchema } from "../schema-ref.ts";
import { resolveSchema } from "../schema-ref.ts";
import { choiceList, shownValue } from "../shown-value.ts";
import type { CsvCell } from "./csv-records.ts";
import { MOST_ROW_LEVELS } from "./test-row.ts";

/** Which columns of a CSV file are what, where their headers do not say it. */
export interface CsvMapping {
  /** The column that holds the ids. */
  readonly id?: string | undefined;
  /** The columns that are inputs, under their own names. */
  readonly inputs?: readonly string[] | undefined;
  /** One column is the expected value itself; several become an object. */
  readonly expected?: readonly string[] | undefined;
}

export interface CsvColumn {
  readonly index: number;
  readonly header: string;
  /** Where its cells belong in the row: `["inputs", "text"]`. */
  readonly path: readonly string[];
  readonly cell: "text" | "number" | "boolean" | "json" | "tags";
}

export type ColumnsReading =
  | { readonly kind: "columns"; readonly columns: readonly CsvColumn[] }
  | { readonly kind: "faults"; readonly faults: readonly ColumnFault[] };

export interface ColumnFault {
  readonly path: readonly string[];
  readonly msg: string;
}

/** At the end of a header: its cells are JSON. */
const JSON_MARK = ":json";
export const MOST_COLUMNS = 1000;
const LONGEST_HEADER = 100;
const PARTS = ["inputs", "expected", "metadata"];

/** What the columns of a CSV file are, by its header and the options. */
export function readColumns(
  cells: readonly CsvCell[],
  options: CsvMapping & { readonly inputSchema?: JsonSchema | undefined },
): ColumnsReading {
  const headers = cells.map(({ text }) => text.trim());
  const refused = headerFault(headers);
  if (refused !== undefined) return { kind: "faults", faults: [refused] };
  const faults = optionFaults(headers.map(bareHeader), options);
  const isMapped = [options.id, options.inputs, options.expected].some(
    (each) => each !== undefined,
  );
  const columns: CsvColumn[] = [];
  for (const [index, header] of headers.entries()) {
    const path = mappedPath(bareHeader(header), options) ?? writtenPath(bareHeader(header));
    const shown = shownHeader(header);
    if (path !== undefined) {
      columns.push({ index, header: shown, path, cell: cellKind(header, path, options) });
    } else if (!isMapped) faults.push({ path: [shown], msg: unknownHeader(header) });
  }
  return checkedColumns(
    columns,
    faults,
    "Call one inputs.NAME, or name it with the option inputs.",
  );
}

/** Why no file can have these headers. */
export function headerFault(headers: readonly string[]): ColumnFault | undefined {
  if (headers.length > MOST_COLUMNS) {
    const msg = `A file has at most ${MOST_COLUMNS} columns (got ${headers.length}).`;
    return { path: [], msg };
  }
  const [only = ""] = headers;
  if (headers.length > 1 || !/[;\t]/.test(only)) return undefined;
  return { path: [shownHeader(only)], msg: "Cells must be separated by commas." };
}

/** The columns, unless two overlap or none holds inputs. */
export function checkedColumns(
  columns: readonly CsvColumn[],
  others: readonly ColumnFault[],
  remedy: string,
): ColumnsReading {
  const faults = [...others, ...overlapFaults(columns)];
  if (faults.length === 0 && !columns.some(({ path }) => path[0] === "inputs")) {
    faults.push({ path: [], msg: `No column holds inputs. ${remedy}` });
  }
  return faults.length > 0 ? { kind: "faults", faults } : { kind: "columns", columns };
}

/** As faults show it. */
export function shownHeader(header: string): string {
  return header.slice(0, LONGEST_HEADER);
}

/** A header without the mark that its cells are JSON. */
export function bareHeader(header: string): string {
  return header.endsWith(JSON_MARK) ? header.slice(0, -JSON_MARK.length) : header;
}

function optionFaults(
  names: readonly string[],
  { id, inputs, expected }: CsvMapping,
): ColumnFault[] {
  const asked = [...(id === undefined ? [] : [id]), ...(inputs ?? []), ...(expected ?? [])];
  return asked
    .filter((name) => !names.includes(name))
    .map((name) => ({
      path: [name],
      msg: `The file has no column ${shownValue(name)}: it has ${choiceList(names)}.`,
    }));
}

function mappedPath(name: string, { id, inputs, expected }: CsvMapping): string[] | undefined {
  if (name === id) return ["id"];
  if (inputs?.includes(name)) return ["inputs", name];
  if (!expected?.includes(name)) return undefined;
  return expected.length === 1 ? ["expected"] : ["expected", name];
}

/** Where a header says that its cells belong: `inputs.text`. */
export function writtenPath(name: string): string[] | undefined {
  if (name === "id" || name === "tags") return [name];
  const [part = "", ...steps] = name.split(".");
  const isPath = steps.length < MOST_ROW_LEVELS && !steps.includes("");
  if (!PARTS.includes(part) || !isPath) return undefined;
  return [part, ...steps];
}

/** What the cells of a column are, by its header and its place. */
export function cellKind(
  header: string,
  path: readonly string[],
  { inputSchema }: { readonly inputSchema?: JsonSchema | undefined },
): CsvColumn["cell"] {
  if (header.endsWith(JSON_MARK)) return "json";
  if (path[0] === "tags") return "tags";
  return path[0] === "inputs" && inputSchema ? typeAt(inputSchema, path.slice(1)) : "text";
}

/** A cell is a text wherever the schema takes one. */
function typeAt(root: JsonSchema, path: readonly string[]): CsvColumn["cell"] {
  let schema: unknown = root;
  for (const name of path) {
    const { properties } = resolveSchema(root, schema);
    schema = isRecord(properties) && Object.hasOwn(properties, name) ? properties[name] : {};
  }
  const types = typesOf(root, schema);
  if (types.size === 0 || types.has("string")) return "text";
  if (types.has("number") || types.has("integer")) return "number";
  if (types.has("boolean")) return "boolean";
  return types.has("object") || types.has("array") ? "json" : "text";
}

function typesOf(root: JsonSchema, schema: unknown): ReadonlySet<unknown> {
  const { type, anyOf, oneOf } = resolveSchema(root, schema);
  const branches = [anyOf, oneOf].flat().map((branch) => resolveSchema(root, branch).type);
  return new Set([type, ...branches].flat().filter((each) => each !== undefined));
}

function unknownHeader(header: string): string {
  return `Unknown column ${shownValue(header)}. Call it id, inputs.NAME, expected, expected.NAME, metadata.NAME or tags, or say which columns are inputs and expected.`;
}

/** Two columns with the same place, or one inside the other. */
function overlapFaults(columns: readonly CsvColumn[]): ColumnFault[] {
  const places = new Map<string, string>();
  const inner = new Map<string, string>();
  const faults: ColumnFault[] = [];
  for (const { header, path } of columns) {
    const place = JSON.stringify(path);
    const beginnings = path.slice(0, -1).map((_, n) => JSON.stringify(path.slice(0, n + 1)));
    const outer = beginnings.find((beginning) => places.has(beginning));
    const other = places.get(place) ?? inner.get(place) ?? (outer && places.get(outer));
    if (other !== undefined) {
      faults.push({
        path: [header],
        msg: `Is at the same place of the row as ${shownValue(other)}.`,
      });
    }
    places.set(place, header);
    for (const beginning of beginnings) inner.set(beginning, header);
  }
  return faults;
}
