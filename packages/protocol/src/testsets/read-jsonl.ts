import { jsonFault } from "../json-fault.ts";
import type { RawRow } from "./read-rows.ts";
import { readRows } from "./read-rows.ts";
import type { RowFault, RowsReading } from "./test-row.ts";
import { MOST_ROW_FAULTS } from "./test-row.ts";

/** Reads the rows of a JSONL file: one row per line. Empty lines are skipped. */
export function readJsonl(text: string): RowsReading {
  const rows: RawRow[] = [];
  const faults: RowFault[] = [];
  for (const { line, content } of linesOf(text)) {
    const parsed = parseLine(content);
    if ("value" in parsed) rows.push({ value: parsed.value, line });
    else faults.push({ index: rows.length + faults.length, line, path: [], msg: parsed.msg });
    if (faults.length === MOST_ROW_FAULTS) break;
  }
  const [first, ...others] = faults;
  return first === undefined ? readRows(rows) : { kind: "faults", faults: [first, ...others] };
}

function* linesOf(text: string): Iterable<{ line: number; content: string }> {
  let start = text.startsWith("\uFEFF") ? 1 : 0;
  for (let line = 1; start < text.length; line++) {
    const end = text.indexOf("\n", start);
    const content = text.slice(start, end === -1 ? text.length : end).trim();
    if (content !== "") yield { line, content };
    if (end === -1) return;
    start = end + 1;
  }
}

function parseLine(content: string): { value: unknown } | { msg: string } {
  try {
    return { value: JSON.parse(content) };
  } catch {
    // The message of JSON.parse differs by runtime, and quotes the text.
    const fault = jsonFault(content);
    if (fault === null) return { msg: "The line is not JSON." };
    return { msg: `The line is not JSON, at character ${fault.column}: ${fault.problem}` };
  }
}
