import { pathText } from "../shown-value.ts";

/** One case of a test set. */
export interface TestRow {
  /** Unique in its set, and the same in all revisions: runs pair their cases by it. */
  readonly id: string;
  /** What the route takes. */
  readonly inputs: Readonly<Record<string, unknown>>;
  /** Any JSON, `null` included; absent where nothing is expected. */
  readonly expected?: unknown;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly tags: readonly string[];
  /** The span that it was taken from. */
  readonly source: RowSource | null;
  /** Its content was deleted from all revisions; else not there. */
  readonly purged?: true;
}

export interface RowSource {
  readonly trace_id: string;
  readonly span_id: string;
}

/** The most rows of a revision. */
export const MOST_ROWS = 50_000;
/** Of a row as JSON in UTF-8. */
export const MOST_ROW_BYTES = 1024 * 1024;
/** Of all rows of a revision together. */
export const MOST_SET_BYTES = 256 * 1024 * 1024;
/** Of lists and objects in each other, the row itself included. */
export const MOST_ROW_LEVELS = 64;
/** In characters. */
export const LONGEST_ROW_ID = 200;
export const MOST_TAGS = 50;
/** In characters. */
export const LONGEST_TAG = 100;

/** Something wrong with a row. */
export interface RowFault {
  /** Which row, from 0. */
  readonly index: number;
  /** Of the file it is in, from 1; null for rows that are in no file. */
  readonly line: number | null;
  /** The header of a CSV column, or the path in the row: `["inputs", "text"]`. Empty: the row. */
  readonly path: readonly (string | number)[];
  /** A sentence that does not name the place. */
  readonly msg: string;
}

export type RowsReading =
  | {
      readonly kind: "rows";
      readonly rows: readonly TestRow[];
      /** Of each row: its line in the file; null for rows that are in no file. */
      readonly lines: readonly (number | null)[];
    }
  | { readonly kind: "faults"; readonly faults: readonly [RowFault, ...RowFault[]] };

/** Further faults are not looked for. */
export const MOST_ROW_FAULTS = 100;

/** A row as a line of JSONL, without the newline. What is empty is left out. */
export function rowLine(row: TestRow): string {
  const { id, inputs, metadata, tags, source, purged } = row;
  if (purged) return JSON.stringify({ id, purged });
  return JSON.stringify({
    id,
    inputs,
    ...("expected" in row && { expected: row.expected }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
    ...(tags.length > 0 && { tags }),
    ...(source !== null && { source }),
  });
}

/** A fault with its place. @example "Line 3, inputs.text: Required." */
export function shownRowFault({ index, line, path, msg }: RowFault): string {
  const row = line === null ? `Row ${index + 1}` : `Line ${line}`;
  return path.length === 0 ? `${row}: ${msg}` : `${row}, ${shownPath(path)}: ${msg}`;
}

/** A CSV header is shown as it is. */
function shownPath(path: RowFault["path"]): string {
  const [only] = path;
  return path.length === 1 && typeof only === "string" ? only : pathText(path);
}
