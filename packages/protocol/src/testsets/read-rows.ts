import { unknownName } from "../closest-name.ts";
import { isDeeperThan, isRecord } from "../json-value.ts";
import { mustBe, shownValue } from "../shown-value.ts";
import { assignRowIds } from "./row-ids.ts";
import { utf8Length } from "./sha256.ts";
import type { RowFault, RowSource, RowsReading, TestRow } from "./test-row.ts";
import {
  LONGEST_ROW_ID,
  LONGEST_TAG,
  MOST_ROW_BYTES,
  MOST_ROW_FAULTS,
  MOST_ROW_LEVELS,
  MOST_ROWS,
  MOST_TAGS,
} from "./test-row.ts";

/** A row that has not been checked yet. */
export interface RawRow {
  readonly value: unknown;
  /** Of the file it is in; null for rows that are in no file. */
  readonly line: number | null;
}

const FIELDS = ["id", "inputs", "expected", "metadata", "tags", "source", "purged"];
const CONTROLS = /\p{Cc}/u;

/** Checks the rows of a test set, and gives ids to those that have none. */
export function readRows(raw: readonly RawRow[]): RowsReading {
  if (raw.length > MOST_ROWS) {
    const line = raw[MOST_ROWS]?.line ?? null;
    const msg = `A test set has at most ${shownCount(MOST_ROWS)} rows (got ${shownCount(raw.length)}).`;
    return { kind: "faults", faults: [{ index: MOST_ROWS, line, path: [], msg }] };
  }
  const faults: RowFault[] = [];
  const lines = new Map<string, string>();
  for (const [index, { value, line }] of raw.entries()) {
    for (const { path, msg } of rowFaults(value)) faults.push({ index, line, path, msg });
    const id = isRecord(value) ? value.id : undefined;
    if (typeof id === "string") {
      const earlier = lines.get(id);
      if (earlier !== undefined) {
        const msg = `${earlier} has the id ${shownValue(id)}, too. Ids must differ.`;
        faults.push({ index, line, path: ["id"], msg });
      }
      lines.set(id, line === null ? `Row ${index + 1}` : `Line ${line}`);
    }
    if (faults.length >= MOST_ROW_FAULTS) break;
  }
  const [first, ...others] = faults.slice(0, MOST_ROW_FAULTS);
  if (first !== undefined) return { kind: "faults", faults: [first, ...others] };
  const given = raw.map(({ value }) => value as GivenRow);
  const ids = assignRowIds(
    given.map(({ id, inputs }) => ({ id: id ?? undefined, inputs: inputs ?? {} })),
  );
  const rows = given.map((row, index) => completed(row, ids[index]!));
  return { kind: "rows", rows, lines: raw.map(({ line }) => line) };
}

/** A row that has passed the checks. */
interface GivenRow {
  readonly id?: string | null;
  readonly inputs?: TestRow["inputs"];
  readonly expected?: unknown;
  readonly metadata?: TestRow["metadata"] | null;
  readonly tags?: TestRow["tags"] | null;
  readonly source?: RowSource | null;
  readonly purged?: boolean | null;
}

function completed(row: GivenRow, id: string): TestRow {
  if (row.purged === true) {
    return { id, inputs: {}, metadata: {}, tags: [], source: null, purged: true };
  }
  const { inputs = {}, metadata, tags, source } = row;
  return {
    id,
    inputs,
    ...(row.expected !== undefined && { expected: row.expected }),
    metadata: metadata ?? {},
    tags: tags ?? [],
    source: source ? { trace_id: source.trace_id, span_id: source.span_id } : null,
  };
}

type Fault = Pick<RowFault, "path" | "msg">;

function rowFaults(value: unknown): Fault[] {
  if (!isRecord(value)) {
    return [wrong([], 'an object, such as {"inputs": {"text": "…"}}', value)];
  }
  // Before anything walks through it.
  if (isDeeperThan(value, MOST_ROW_LEVELS)) {
    const msg = `Must have ${MOST_ROW_LEVELS} levels of lists and objects or fewer.`;
    return [{ path: [], msg }];
  }
  const unknown = Object.keys(value).filter((name) => !FIELDS.includes(name));
  const faults: Fault[] = unknown
    .slice(0, MOST_ROW_FAULTS)
    .map((name) => ({ path: [name], msg: unknownName("field", name, FIELDS) }));
  faults.push(...idFaults(value), ...contentFaults(value), ...sourceFaults(value.source));
  if (faults.length > 0) return faults;
  const bytes = utf8Length(JSON.stringify(value));
  if (bytes <= MOST_ROW_BYTES) return [];
  const msg = `Takes ${shownCount(bytes)} bytes as JSON; a row takes ${shownCount(MOST_ROW_BYTES)} at most.`;
  return [{ path: [], msg }];
}

function idFaults({ id, purged }: Row): Fault[] {
  if (purged != null && purged !== true) return [wrong(["purged"], "true, or left out", purged)];
  if (id == null) return purged === true ? [{ path: ["id"], msg: "Required." }] : [];
  if (typeof id !== "string" || id === "" || id.length > LONGEST_ROW_ID) {
    return [wrong(["id"], `a text of 1 to ${LONGEST_ROW_ID} characters`, id)];
  }
  if (!CONTROLS.test(id) && id.isWellFormed()) return [];
  return [wrong(["id"], "a text without control characters", id)];
}

type Row = Readonly<Record<string, unknown>>;

function contentFaults(row: Row): Fault[] {
  const { inputs, metadata, tags, purged } = row;
  if (purged === true) {
    const content = ["inputs", "expected", "metadata", "tags", "source"];
    return content
      .filter((name) => row[name] !== undefined)
      .map((name) => ({ path: [name], msg: "Must be left out where the row is purged." }));
  }
  const faults: Fault[] = [];
  if (inputs === undefined) {
    faults.push({ path: ["inputs"], msg: "Required: an object with what the route takes." });
  } else if (!isRecord(inputs)) faults.push(wrong(["inputs"], "an object", inputs));
  if (metadata != null && !isRecord(metadata)) {
    faults.push(wrong(["metadata"], "an object", metadata));
  }
  if (tags != null && !isTagList(tags)) {
    const rule = `a list of at most ${MOST_TAGS} texts of 1 to ${LONGEST_TAG} characters`;
    faults.push(wrong(["tags"], rule, tags));
  }
  return faults;
}

function isTagList(tags: unknown): boolean {
  return (
    Array.isArray(tags) &&
    tags.length <= MOST_TAGS &&
    tags.every((tag) => typeof tag === "string" && tag !== "" && tag.length <= LONGEST_TAG)
  );
}

/** As span ids are written everywhere: see traces/span-ids.ts of the platform. */
const SPAN_ID = /^[A-Za-z0-9_-]{1,128}$/;

function sourceFaults(source: unknown): Fault[] {
  if (source == null) return [];
  const isSource =
    isRecord(source) &&
    [source.trace_id, source.span_id].every((id) => typeof id === "string" && SPAN_ID.test(id));
  return isSource ? [] : [wrong(["source"], 'an object with "trace_id" and "span_id"', source)];
}

function wrong(path: readonly string[], allowed: string, given: unknown): Fault {
  return { path, msg: mustBe(allowed, shownValue(given)) };
}

function shownCount(count: number): string {
  return count.toLocaleString("en");
}
