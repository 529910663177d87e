import type { TestRow } from "@agate/protocol";
import { jsonFault } from "@agate/protocol/json-fault";
import { readRows } from "@agate/protocol/testsets";

/** A row as it is typed. */
export interface RowDraft {
  /** Empty: a hash of the inputs. */
  readonly id: string;
  readonly inputs: string;
  /** Empty: nothing is expected. */
  readonly expected: string;
  /** Separated by commas. */
  readonly tags: string;
}

export type RowReading =
  | { readonly kind: "row"; readonly row: TestRow }
  | { readonly kind: "problems"; readonly problems: RowProblems };

export type RowProblems = Partial<Record<keyof RowDraft, string>>;

export const EMPTY_DRAFT: RowDraft = { id: "", inputs: "{}", expected: "", tags: "" };

export function draftOf(row: TestRow): RowDraft {
  return {
    id: row.id,
    inputs: JSON.stringify(row.inputs, null, 2),
    expected: "expected" in row ? (JSON.stringify(row.expected, null, 2) ?? "") : "",
    tags: row.tags.join(", "),
  };
}

/** Reads a draft. Metadata and source stay as they were. */
export function readDraft(draft: RowDraft, before: TestRow | null): RowReading {
  const inputs = readField(draft.inputs);
  const expected = draft.expected.trim() === "" ? undefined : readField(draft.expected);
  const problems: RowProblems = {
    ...("problem" in inputs && { inputs: inputs.problem }),
    ...(expected !== undefined && "problem" in expected && { expected: expected.problem }),
  };
  if (Object.keys(problems).length > 0) return { kind: "problems", problems };
  const id = draft.id.trim();
  const value = {
    ...(id !== "" && { id }),
    ...("value" in inputs && { inputs: inputs.value }),
    ...(expected !== undefined && "value" in expected && { expected: expected.value }),
    tags: draft.tags
      .split(",")
      .map((tag) => tag.trim())
      .filter((tag) => tag !== ""),
    ...(before !== null && { metadata: before.metadata, source: before.source }),
  };
  const read = readRows([{ value, line: null }]);
  const [row] = read.kind === "rows" ? read.rows : [];
  if (row !== undefined) return { kind: "row", row };
  const faults = read.kind === "faults" ? read.faults : [];
  return {
    kind: "problems",
    problems: Object.fromEntries(faults.map(({ path, msg }) => [fieldOf(path[0]), msg])),
  };
}

function fieldOf(name: string | number | undefined): keyof RowDraft {
  return name === "id" || name === "expected" || name === "tags" ? name : "inputs";
}

function readField(text: string): { readonly value: unknown } | { readonly problem: string } {
  const fault = jsonFault(text);
  if (fault === null) return { value: JSON.parse(text) };
  return { problem: `Line ${fault.line}, column ${fault.column}: ${fault.problem}` };
}
