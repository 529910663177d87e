import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { checkTrace, DamagedSegmentError, decodeHeader, plainBody } from "../segments/segment.ts";
import { StoreRefusalError } from "../store-errors.ts";
import { countOutsideZones } from "./count-outside-zones.ts";
import { filesIn, holdDataDirectory } from "./data-directory.ts";
import { stuckBytes } from "./free-pages.ts";
import { idHash } from "./id-hash.ts";
import type { ListedTrace, ReadSegment } from "./listed-columns.ts";
import { ListedColumns, ListedColumnsRepair } from "./listed-columns.ts";
import { removeIndex } from "./span-index-file.ts";
import { SCHEMA_VERSION, segmentRange } from "./span-schema.ts";
import { DataDirectoryInUseError, isCorrupt, sqliteCode } from "./sqlite-errors.ts";
import { emptyZones } from "./zone-filler.ts";
import { ZONES } from "./zone-map.ts";

export interface DamagedTrace {
  readonly project: string;
  readonly traceId: string;
  readonly reason: string;
}

type TraceFault = {
  /** `damaged`: the recorded spans; `listed`: the columns that lists show, which can be rebuilt. */
  readonly kind: "damaged" | "listed";
  readonly reason: string;
};

export interface FolderReport {
  readonly traces: number;
  readonly segments: number;
  /** Segments that were written before there were checksums. */
  readonly withoutChecksum: number;
  readonly damaged: readonly DamagedTrace[];
  /** Traces that lists, filters or analytics show with other values than were recorded. */
  readonly listedWrongly: readonly DamagedTrace[];
  /** SQLite's reports about its files, and orphaned rows: one sentence each. */
  readonly problems: readonly string[];
  /** Differences between the spans and the index of their ids and words. */
  readonly indexProblems: readonly string[];
  /** Whether the indexes, and the columns that lists show, were rebuilt. */
  readonly repaired: boolean;
  /** Files of earlier versions with much free space, which `compactFolder` gives back. */
  readonly compactable: readonly CompactableFile[];
}

export interface CompactableFile {
  readonly file: string;
  readonly freeBytes: number;
}

export interface CheckOptions {
  readonly repairIndex: boolean;
  readonly signal: AbortSignal;
  readonly onProgress?: (traces: number) => void;
}

const TRACES_PER_READ = 500;

/**
 * Reads everything in a data directory that no server uses, and compares it with its checksums. Changes
 * nothing, except the indexes and the columns that lists show if `repairIndex` is set.
 *
 * @throws StoreRefusalError with one sentence when the folder cannot be checked.
 */
export function checkFolder(directory: string, options: CheckOptions): FolderReport {
  const files = filesIn(directory);
  if (!existsSync(files.spans) && !existsSync(files.registry)) {
    throw new StoreRefusalError(
      `There is neither spans.db nor registry.db in ${directory}. Name the folder that a server had as its --data-dir.`,
    );
  }
  const held = hold(directory);
  try {
    const problems: string[] = [];
    for (const file of [files.spans, files.registry]) {
      if (existsSync(file)) problems.push(...checkStructure(file));
    }
    const hasSpans = existsSync(files.spans);
    const spans = hasSpans ? checkSpans(files.spans, options) : NO_SPANS;
    const indexProblems = hasSpans ? checkIndex(files) : [];
    if (options.repairIndex) problems.push(...repair(files, spans.toRepair));
    return {
      traces: spans.traces,
      segments: spans.segments,
      withoutChecksum: spans.withoutChecksum,
      damaged: spans.damaged,
      listedWrongly: spans.listedWrongly,
      problems: [...problems, ...spans.problems],
      indexProblems,
      repaired: options.repairIndex,
      compactable: [files.spans, files.index].flatMap(compactable),
    };
  } finally {
    held.release();
  }
}

const NO_SPANS = {
  traces: 0,
  segments: 0,
  withoutChecksum: 0,
  damaged: [],
  listedWrongly: [],
  problems: [],
  toRepair: [],
};

function compactable(file: string): CompactableFile[] {
  if (!existsSync(file)) return [];
  try {
    using db = new DatabaseSync(file, { readOnly: true });
    const freeBytes = stuckBytes(db);
    return freeBytes === 0 ? [] : [{ file, freeBytes }];
  } catch (error) {
    // The check of its structure has reported it.
    if (!isCorrupt(error)) throw error;
    return [];
  }
}

function hold(directory: string) {
  try {
    return holdDataDirectory(directory);
  } catch (error) {
    if (!(error instanceof DataDirectoryInUseError)) throw error;
    throw new StoreRefusalError(
      `A server is using the data directory ${directory}. Stop it first, or check a restored backup.`,
    );
  }
}

function checkStructure(file: string): string[] {
  try {
    using db = new DatabaseSync(file, { readOnly: true });
    const rows = db.prepare("PRAGMA integrity_check(100)").all();
    const lines = rows.map((row) => String(Object.values(row)[0]));
    return lines.filter((line) => line !== "ok").map((line) => `${file}: ${line.trim()}`);
  } catch (error) {
    if (!isCorrupt(error)) throw error;
    return [`${file}: ${(error as Error).message}`];
  }
}

/** As it is stored: a damaged value may have another type, or be too large for a number. */
interface TraceRow {
  readonly trace_no: bigint;
  readonly project: unknown;
  readonly trace_id: unknown;
  readonly segments: unknown;
}

function checkSpans(file: string, { signal, onProgress = () => {} }: CheckOptions) {
  using db = new DatabaseSync(file, { readOnly: true });
  refuseOtherVersion(db, file);
  const damaged: DamagedTrace[] = [];
  const listedWrongly: DamagedTrace[] = [];
  const toRepair: ListedTrace[] = [];
  const problems: string[] = [];
  const counts = { traces: 0, segments: 0, withoutChecksum: 0 };
  try {
    const next = db.prepare(
      `SELECT trace_no, project, trace_id, segments FROM traces
       WHERE trace_no > ? ORDER BY trace_no LIMIT ${TRACES_PER_READ}`,
    );
    next.setReadBigInts(true);
    const faultIn = traceCheck(db, counts);
    for (let last = -1n; ; ) {
      signal.throwIfAborted();
      const rows = next.all(last) as unknown as TraceRow[];
      for (const trace of rows) {
        counts.traces++;
        const fault = faultIn(trace);
        if (fault === undefined) continue;
        const project = String(trace.project);
        const found = { project, traceId: String(trace.trace_id), reason: fault.reason };
        if (fault.kind === "damaged") damaged.push(found);
        else {
          listedWrongly.push(found);
          toRepair.push({ trace_no: Number(trace.trace_no), project });
        }
      }
      onProgress(counts.traces);
      const end = rows.at(-1);
      if (end === undefined) break;
      last = end.trace_no;
    }
    problems.push(...checkOrphans(db));
  } catch (error) {
    if (!isCorrupt(error)) throw error;
    problems.push(`${file}: not all of it can be read: ${(error as Error).message}`);
  }
  return { ...counts, damaged, listedWrongly, problems, toRepair };
}

/** The columns are those of one version. */
function refuseOtherVersion(db: DatabaseSync, file: string): void {
  const { user_version } = db.prepare("PRAGMA user_version").get() as { user_version: number };
  if (user_version === SCHEMA_VERSION) return;
  throw new StoreRefusalError(
    user_version < SCHEMA_VERSION
      ? `${file} was written by an older version. Start a server on the folder once, which brings it up to date, or check it with that version.`
      : `${file} was written by a newer version. Check it with that version.`,
  );
}

/** What is wrong with a trace; undefined where nothing is. */
function traceCheck(
  db: DatabaseSync,
  counts: { segments: number; withoutChecksum: number },
): (trace: TraceRow) => TraceFault | undefined {
  const read = db.prepare(
    "SELECT segment, header, body FROM segments WHERE segment >= ? AND segment < ? ORDER BY segment",
  );
  const columns = new ListedColumns(db);

  return (trace) => {
    const { project, trace_id: traceId } = trace;
    const traceNo = Number(trace.trace_no);
    if (typeof project !== "string" || typeof traceId !== "string") {
      return { kind: "damaged", reason: "its row is not readable" };
    }
    try {
      const ids = new Set<string>();
      const listed = new Set<string>();
      let found = 0;
      for (const row of read.iterate(...segmentRange(traceNo))) {
        found++;
        const segment = row as unknown as ReadSegment;
        if (!isReadable(segment)) throw new DamagedSegmentError(traceId);
        if (segment.header.startsWith("[")) counts.withoutChecksum++;
        checkTrace(segment.header, traceId);
        const body = plainBody(segment.header, segment.body, traceId);
        const entries = decodeHeader(segment.header, segment.segment);
        for (const { id } of entries) ids.add(id);
        const place = { trace_no: traceNo, project };
        for (const id of columns.listedIn(place, { ...segment, body }, entries)) listed.add(id);
      }
      counts.segments += found;
      if (BigInt(found) !== trace.segments) {
        return { kind: "damaged", reason: `it has ${found} of ${trace.segments} segments` };
      }
      const reason = listedFault(columns, traceNo, ids.size, listed.size);
      return reason === undefined ? undefined : { kind: "listed", reason };
    } catch (error) {
      return { kind: "damaged", reason: reasonOf(error, traceId) };
    }
  };
}

function listedFault(
  columns: ListedColumns,
  traceNo: number,
  spans: number,
  listed: number,
): string | undefined {
  if (listed < spans) {
    return `${spans - listed} of its ${spans} spans are missing in lists, or listed with other values`;
  }
  if (columns.hasOtherSpans(traceNo, spans)) return "lists have spans that it does not have";
  const wrong = columns.wrongSummary(traceNo, spans);
  return wrong.length === 0 ? undefined : `its summary has another ${wrong.join(", ")}`;
}

function isReadable({ header, body }: ReadSegment): boolean {
  return typeof header === "string" && body instanceof Uint8Array;
}

function reasonOf(error: unknown, traceId: string): string {
  if (error instanceof DamagedSegmentError) return "its content differs from its checksum";
  if (isCorrupt(error)) return `SQLite cannot read it: ${(error as Error).message}`;
  throw new Error(`The trace ${traceId} could not be checked`, { cause: error });
}

/**
 * Rows that belong to no trace: they are never shown, and show that a row of `traces` was lost. And
 * rows that say of a trace or a span that it is deleted, although it is there.
 */
function checkOrphans(db: DatabaseSync): string[] {
  const { orphans, traces, spans } = db
    .prepare(
      `SELECT
         (SELECT count(*) FROM spans p
          WHERE NOT EXISTS (SELECT 1 FROM traces t WHERE t.trace_no = p.trace_no)
            AND NOT EXISTS (SELECT 1 FROM deleted_traces d WHERE d.trace_no = p.trace_no)) AS orphans,
         (SELECT count(*) FROM deleted_traces JOIN traces USING (trace_no)) AS traces,
         (SELECT count(*) FROM deleted_spans JOIN spans USING (span_no)) AS spans`,
    )
    .get() as { orphans: number; traces: number; spans: number };
  const found: string[] = [];
  if (orphans > 0) found.push(`${orphans} spans belong to no trace`);
  if (traces > 0) found.push(`${traces} traces are to be deleted although they are listed`);
  if (spans > 0) found.push(`${spans} spans count as deleted although they are listed`);
  return found;
}

function checkIndex(files: ReturnType<typeof filesIn>): string[] {
  return [...checkZones(files.spans), ...checkIndexFile(files)];
}

function checkZones(file: string): string[] {
  try {
    using db = new DatabaseSync(file, { readOnly: true });
    return (["t", "p"] as const).flatMap((table) => {
      const outside = countOutsideZones(db, table);
      return outside === 0
        ? []
        : [
            `${file}: ${outside} ${ZONES[table].rows} are outside of their zones, and missing in some lists`,
          ];
    });
  } catch (error) {
    if (!isCorrupt(error)) throw error;
    return [`${file}: ${(error as Error).message}`];
  }
}

function checkIndexFile(files: ReturnType<typeof filesIn>): string[] {
  // It is made at the next start.
  if (!existsSync(files.index)) return [];
  try {
    const structure = checkStructure(files.index);
    if (structure.length > 0) return structure;
    using db = new DatabaseSync(files.spans, { readOnly: true });
    db.prepare("ATTACH DATABASE ? AS derived").run(files.index);
    db.function("id_hash", { deterministic: true }, (id) => idHash(String(id)));
    const { lost, left } = db
      .prepare(
        `SELECT
           (SELECT count(*) FROM spans p WHERE p.span_no <= (SELECT ids FROM derived.progress)
            AND NOT EXISTS (SELECT 1 FROM derived.id_hashes i
              WHERE i.hash = id_hash(p.span_id) AND i.span_no = p.span_no)
            AND NOT EXISTS (SELECT 1 FROM derived.span_ids i
              WHERE i.span_id = p.span_id AND i.span_no = p.span_no)) AS lost,
           (SELECT count(*) FROM (SELECT span_no FROM derived.id_hashes
              UNION ALL SELECT span_no FROM derived.span_ids) i
            WHERE NOT EXISTS (SELECT 1 FROM spans p WHERE p.span_no = i.span_no)
              AND NOT EXISTS (SELECT 1 FROM deleted_spans d WHERE d.span_no = i.span_no)) AS left`,
      )
      .get() as { lost: number; left: number };
    const found: string[] = [];
    if (lost > 0) found.push(`${files.index}: ${lost} spans are not in the index`);
    if (left > 0) found.push(`${files.index}: ${left} entries are of spans that are gone`);
    return found;
  } catch (error) {
    if (!isCorrupt(error)) throw error;
    return [`${files.index}: ${(error as Error).message}`];
  }
}

/**
 * SQLite's own indexes from the tables, and the columns of these traces from their records, in place;
 * the index of ids and words, and the zones, after the next start.
 *
 * @returns What could not be done, a sentence each.
 */
function repair(files: ReturnType<typeof filesIn>, traces: readonly ListedTrace[]): string[] {
  const problems: string[] = [];
  const attempt = (what: string, work: () => void) => {
    try {
      work();
    } catch (error) {
      if (sqliteCode(error) === undefined) throw error;
      problems.push(`${what}: ${(error as Error).message}`);
    }
  };
  for (const file of [files.spans, files.registry]) {
    if (!existsSync(file)) continue;
    attempt(`${file}: its indexes could not be rebuilt`, () => {
      using db = new DatabaseSync(file);
      db.exec("REINDEX");
    });
  }
  if (traces.length > 0) {
    attempt(`${files.spans}: not all that lists show could be made anew`, () => {
      using db = new DatabaseSync(files.spans);
      const columns = new ListedColumnsRepair(db);
      for (const trace of traces) {
        db.exec("BEGIN IMMEDIATE");
        columns.repair(trace);
        db.exec("COMMIT");
      }
    });
  }
  if (existsSync(files.spans)) {
    attempt(`${files.spans}: its zones could not be emptied, to be made anew`, () => {
      using db = new DatabaseSync(files.spans);
      db.exec("BEGIN IMMEDIATE");
      emptyZones(db);
      db.exec("COMMIT");
    });
  }
  removeIndex(files.index);
  return problems;
}
