import { type RowsReading, readCsv, readJsonl } from "@agate/protocol/testsets";

/** JSONL begins with an object; anything else is CSV. */
export function importFormat(text: string): "jsonl" | "csv" {
  return /^\uFEFF?\s*\{/.test(text) ? "jsonl" : "csv";
}

/**
 * Reads pasted or dropped rows.
 *
 * @param inputSchema Of the route that the set is bound to: cells of CSV become numbers where it says so.
 */
export function readImport(
  text: string,
  inputSchema: Readonly<Record<string, unknown>> | undefined,
): RowsReading {
  return importFormat(text) === "jsonl" ? readJsonl(text) : readCsv(text, { inputSchema });
}
