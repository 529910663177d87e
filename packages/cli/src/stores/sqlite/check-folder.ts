import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { decodeHeader } from "../segments/segment.ts";
import { checkBody, checkTrace, DamagedSegmentError } from "../segments/segment-checksum.ts";
import { StoreRefusalError } from "../store-refusal-error.ts";
import { filesIn, holdDataDirectory } from "./data-directory.ts";
import { DataDirectoryInUseError } from "./data-directory-error.ts";
import { removeIndex } from "./span-index-file.ts";
import { isCorrupt } from "./sqlite-errors.ts";
import { segmentRange } from "./trace-writer.ts";

export interface DamagedTrace {
  readonly project: string;
  readonly traceId: string;
  readonly reason: string;
}

export interface FolderReport {
  readonly traces: number;
  readonly segments: number;
  /** Segments that were written before there were checksums. */
  readonly withoutChecksum: number;
  readonly damaged: readonly DamagedTrace[];
  /** What SQLite says about its files, and rows that belong to nothing: one sentence each. */
  readonly problems: readonly string[];
  /** What does not fit between the spans and the index of their ids and words. */
  readonly indexProblems: readonly string[];
  /** Whether the indexes were made anew. */
  readonly repaired: boolean;
}

export interface CheckOptions {
  readonly repairIndex: boolean;
  readonly signal: AbortSignal;
  readonly onProgress?: (traces: number) => void;
}

const TRACES_PER_READ = 500;

/**
 * Reads everything in a data directory that no server uses, and compares it with its checksums.
 * Changes nothing but the indexes, and these only when it is told to.
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
    const spans = existsSync(files.spans) ? checkSpans(files.spans, options) : NO_SPANS;
    const indexProblems = existsSync(files.spans) ? checkIndex(files) : [];
    if (options.repairIndex) repairIndexes(files);
    return {
      ...spans,
      problems: [...problems, ...spans.problems],
      indexProblems,
      repaired: options.repairIndex,
    };
  } finally {
    held.release();
  }
}

const NO_SPANS = { traces: 0, segments: 0, withoutChecksum: 0, damaged: [], problems: [] };

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

interface TraceRow {
  readonly trace_no: number;
  readonly project: string;
  readonly trace_id: string;
  readonly segments: number;
  readonly spans: number;
}

interface SegmentRow {
  readonly segment: number;
  readonly header: string;
  readonly body: Uint8Array;
}

function checkSpans(file: string, { signal, onProgress = () => {} }: CheckOptions) {
  using db = new DatabaseSync(file, { readOnly: true });
  const damaged: DamagedTrace[] = [];
  const problems: string[] = [];
  let traces = 0;
  let segments = 0;
  let withoutChecksum = 0;
  try {
    const next = db.prepare(
      `SELECT trace_no, project, trace_id, segments, spans FROM traces
       WHERE trace_no > ? ORDER BY trace_no LIMIT ${TRACES_PER_READ}`,
    );
    const read = db.prepare(
      "SELECT segment, header, body FROM segments WHERE segment >= ? AND segment < ? ORDER BY segment",
    );
    const countSpans = db.prepare("SELECT count(*) AS n FROM spans WHERE trace_no = ?");
    for (let last = -1; ; ) {
      signal.throwIfAborted();
      const rows = next.all(last) as unknown as TraceRow[];
      for (const trace of rows) {
        traces++;
        const reason = faultOf(trace.trace_id, () => {
          const ids = new Set<string>();
          let found = 0;
          for (const row of read.iterate(...segmentRange(trace.trace_no))) {
            const segment = row as unknown as SegmentRow;
            found++;
            if (segment.header.startsWith("[")) withoutChecksum++;
            checkTrace(segment.header, trace.trace_id);
            checkBody(segment.header, segment.body, trace.trace_id);
            for (const { id } of decodeHeader(segment.header, segment.segment)) ids.add(id);
          }
          segments += found;
          if (found !== trace.segments) return `it has ${found} of ${trace.segments} segments`;
          const { n } = countSpans.get(trace.trace_no) as { n: number };
          if (n !== ids.size) return `${n} of its ${ids.size} spans are listed`;
          return undefined;
        });
        if (reason !== undefined) {
          damaged.push({ project: trace.project, traceId: trace.trace_id, reason });
        }
      }
      onProgress(traces);
      const end = rows.at(-1);
      if (end === undefined) break;
      last = end.trace_no;
    }
    problems.push(...checkOrphans(db));
  } catch (error) {
    if (!isCorrupt(error)) throw error;
    problems.push(`${file}: not all of it can be read: ${(error as Error).message}`);
  }
  return { traces, segments, withoutChecksum, damaged, problems };
}

function faultOf(traceId: string, check: () => string | undefined): string | undefined {
  try {
    return check();
  } catch (error) {
    if (error instanceof DamagedSegmentError) return "its content differs from its checksum";
    if (isCorrupt(error)) return `SQLite cannot read it: ${(error as Error).message}`;
    throw new Error(`The trace ${traceId} could not be checked`, { cause: error });
  }
}

/** Rows that belong to no trace: they are never shown, and show that a row of `traces` was lost. */
function checkOrphans(db: DatabaseSync): string[] {
  const { n } = db
    .prepare(
      `SELECT count(*) AS n FROM spans p
       WHERE NOT EXISTS (SELECT 1 FROM traces t WHERE t.trace_no = p.trace_no)
         AND NOT EXISTS (SELECT 1 FROM deleted_traces d WHERE d.trace_no = p.trace_no)`,
    )
    .get() as { n: number };
  return n === 0 ? [] : [`${n} spans belong to no trace`];
}

function checkIndex(files: ReturnType<typeof filesIn>): string[] {
  // It is made at the next start.
  if (!existsSync(files.index)) return [];
  try {
    const structure = checkStructure(files.index);
    if (structure.length > 0) return structure;
    using db = new DatabaseSync(files.spans, { readOnly: true });
    db.prepare("ATTACH DATABASE ? AS derived").run(files.index);
    const { lost, left } = db
      .prepare(
        `SELECT
           (SELECT count(*) FROM spans p WHERE p.span_no <= (SELECT ids FROM derived.progress)
            AND NOT EXISTS (SELECT 1 FROM derived.span_ids i
              WHERE i.span_id = p.span_id AND i.span_no = p.span_no)) AS lost,
           (SELECT count(*) FROM derived.span_ids i
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

/** SQLite's own indexes from the tables, in place; the one of ids and words at the next start. */
function repairIndexes(files: ReturnType<typeof filesIn>): void {
  for (const file of [files.spans, files.registry]) {
    if (!existsSync(file)) continue;
    using db = new DatabaseSync(file);
    db.exec("REINDEX");
  }
  removeIndex(files.index);
}
