import { isRecord } from "../json-value.ts";
import type { JsonSchema } from "../schema-ref.ts";
import { resolveSchema } from "../schema-ref.ts";
import type { ColumnFault, ColumnsReading, CsvColumn } from "./csv-columns.ts";
import {
  bareHeader,
  cellKind,
  checkedColumns,
  headerFault,
  shownHeader,
  writtenPath,
} from "./csv-columns.ts";
import type { CsvCell } from "./csv-records.ts";
import { readCsvRecords } from "./csv-records.ts";

/** What a column of a CSV file becomes; `none` leaves it out. */
export type ColumnPart = "id" | "inputs" | "expected" | "metadata" | "tags" | "none";

/** What a person chooses for a column of a CSV file. */
export interface ColumnChoice {
  readonly part: ColumnPart;
  /** The field of inputs, expected or metadata: `user.name` is nested. Empty: the whole of it. */
  readonly name: string;
  /** Ids and tags are texts. */
  readonly cell: "text" | "number" | "boolean" | "json";
}

export interface CsvHeader {
  readonly headers: readonly string[];
  /** The cells of the first row; empty where there is none. */
  readonly sample: readonly string[];
}

/** The header and the first row of a CSV file; null where it has no valid header. */
export function readCsvHeader(text: string): CsvHeader | null {
  const read = readCsvRecords(text, 2);
  if (read.kind === "fault") return null;
  const [header, first] = read.records.map(({ cells }) => cells.map((cell) => cell.text.trim()));
  if (header === undefined || headerFault(header) !== undefined) return null;
  return { headers: header, sample: first ?? [] };
}

/** Headers that hold the expected value in files of other tools. */
const EXPECTED_NAMES = [
  ...["expected_output", "expected_answer", "ground_truth", "reference", "target"],
  ...["output", "answer", "label"],
];

/**
 * What the columns of a file probably are: what their headers say, else inputs that the route has,
 * else an expected value. Other columns are metadata if the route has some of the inputs, and inputs
 * if not. Cells are texts unless the route's schema or the mark `:json` says otherwise: what is
 * guessed from values would give rows other ids than `agate testsets push` gives them.
 */
export function guessColumns(
  headers: readonly string[],
  inputSchema: JsonSchema | undefined,
): readonly ColumnChoice[] {
  const fields = new Map(inputFields(inputSchema).map((name) => [plainName(name), name]));
  const hasWritten = headers.some((header) => writtenPath(bareHeader(header))?.[0] === "inputs");
  const hasFields = headers.some((header) => fields.has(plainName(bareHeader(header))));
  const other = hasWritten ? "none" : hasFields ? "metadata" : "inputs";
  const taken = new Set<string>();
  return headers.map((header): ColumnChoice => {
    const [part, name] = guess(bareHeader(header));
    const place = `${part}.${name}`;
    if (part === "none" || taken.has(place)) return { part: "none", name: "", cell: "text" };
    taken.add(place);
    const kind = cellKind(header, pathOf(part, name), { inputSchema });
    return { part, name, cell: kind === "tags" ? "text" : kind };
  });

  function guess(header: string): readonly [ColumnPart, string] {
    const [part, ...steps] = writtenPath(header) ?? [];
    if (part !== undefined) return [part as ColumnPart, steps.join(".")];
    const plain = plainName(header);
    if (plain === "") return ["none", ""];
    if (plain === "id" || plain === "tags") return [plain, ""];
    const field = hasWritten ? undefined : fields.get(plain);
    if (field !== undefined) return ["inputs", field];
    const isExpected = EXPECTED_NAMES.includes(plain) && !headers.some(saysExpected);
    if (isExpected && !taken.has("expected.")) return ["expected", ""];
    return other === "none" ? ["none", ""] : [other, header];
  }
}

function saysExpected(header: string): boolean {
  return writtenPath(bareHeader(header))?.[0] === "expected";
}

/** The names of a route's inputs. */
export function inputFields(inputSchema: JsonSchema | undefined): readonly string[] {
  if (inputSchema === undefined) return [];
  const { properties } = resolveSchema(inputSchema, inputSchema);
  return isRecord(properties) ? Object.keys(properties) : [];
}

function plainName(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, "_");
}

/** The columns that were chosen for a file. */
export function chosenColumns(
  cells: readonly CsvCell[],
  choices: readonly ColumnChoice[],
): ColumnsReading {
  const headers = cells.map(({ text }) => text.trim());
  const refused = headerFault(headers);
  if (refused !== undefined) return { kind: "faults", faults: [refused] };
  const columns: CsvColumn[] = [];
  const faults: ColumnFault[] = [];
  for (const [index, header] of headers.entries()) {
    const { part, name, cell } = choices[index] ?? { part: "none", name: "", cell: "text" };
    if (part === "none") continue;
    const shown = shownHeader(header);
    const path = pathOf(part, name);
    if (writtenPath(path.join(".")) === undefined) {
      faults.push({ path: [shown], msg: "The field must be a name, or names with dots between." });
    }
    columns.push({ index, header: shown, path, cell: part === "tags" ? "tags" : cell });
  }
  return checkedColumns(columns, faults, "Choose Input for at least one.");
}

function pathOf(part: ColumnPart, name: string): readonly string[] {
  const hasFields = part === "inputs" || part === "expected" || part === "metadata";
  return hasFields && name !== "" ? [part, ...name.split(".")] : [part];
}
