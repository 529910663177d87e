import { SegmentMerger } from "../segments/node-table.ts";
import {
  checkBody,
  checkTrace,
  DamagedSegmentError,
  decodeHeader,
  isAssembledEntry,
  openRecordText,
  readingTrace,
  spanIdIn,
  withTraceId,
} from "../segments/segment.ts";
import { isTraffic, MOST_PAGE_BYTES } from "../span-query.ts";
import type { TopsOptions, TopsRead, TreeFocus, TreeRead } from "../span-store.ts";
import type { LargeTraces } from "../trees/tree-thread.ts";
import { tableOfDay } from "./day.ts";
import { isSpan } from "./filter-sql.ts";
import { ListedScores } from "./listed-scores.ts";
import { isMissingDay } from "./postgres-errors.ts";
import { openRecordsOf, segmentsInOrder, unpack } from "./read-segments.ts";
import { additionsOfTrace, IS_SCORED } from "./score-table.ts";
import type { SpanDatabase, SqlRunner } from "./span-database.ts";
import type { TracePlace } from "./trace-finder.ts";
import { inOwnMemory, readAnswer, TraceFinder } from "./trace-finder.ts";

const MISSING: TreeRead = { kind: "missing" };
/** Header rows read at a time: other requests get their turn between. */
const HEADERS_PER_READ = 256;

/** How one tree is read. */
interface TreeReading {
  /** Its statements are cancelled when the client goes. */
  readonly runner: SqlRunner;
  /** Puts a trace together from several segments. */
  readNodes(place: TracePlace, focusId: string | null): Promise<TreeRead>;
}

interface SpanPlace extends TracePlace {
  readonly segment: number;
}

interface HeaderRow {
  readonly segment: number;
  readonly header: Buffer<ArrayBuffer>;
}

interface SegmentRow {
  readonly header: Buffer<ArrayBuffer>;
  readonly body: Buffer<ArrayBuffer>;
}

interface TopRow {
  readonly trace_id: string;
  readonly trace_no: number;
  readonly day: number;
  readonly segment: number;
  readonly top_offset: number;
  readonly top_length: number;
  readonly total: string;
  readonly run: string | null;
}

/** Trees, and the tops of traces. */
export class TraceReader {
  readonly #database: SpanDatabase;
  readonly #large: LargeTraces | undefined;
  readonly #finder = new TraceFinder();

  /** @param large Without it, all traces are read here. */
  constructor(database: SpanDatabase, large?: LargeTraces) {
    this.#database = database;
    this.#large = large;
  }

  async readTree(project: string, focus: TreeFocus, gone?: () => AbortSignal): Promise<TreeRead> {
    const signal = gone?.();
    const runner = signal === undefined ? this.#database : this.#database.until(signal);
    const reading: TreeReading = {
      runner,
      readNodes: (place, focusId) =>
        this.#large !== undefined && place.spans > this.#large.spans
          ? this.#large.read(project, focus, place.spans, signal)
          : readNodes(runner, project, place, focusId),
    };
    try {
      return focus.kind === "trace"
        ? await readTrace(reading, project, focus.traceId, this.#finder)
        : await readSpan(reading, project, focus.spanId);
    } catch (error) {
      // Its day was dropped between two statements.
      if (isMissingDay(error)) return MISSING;
      throw error;
    }
  }

  /**
   * The tops of these traces up to a number of bytes; at least one.
   *
   * @param onDamaged Told of traces that are left out because their top cannot be read.
   */
  async readTops(
    project: string,
    traceIds: readonly string[],
    { maxBytes = MOST_PAGE_BYTES, traffic, content }: TopsOptions,
    onDamaged: (error: DamagedSegmentError) => void,
  ): Promise<TopsRead> {
    const places = await this.#database.query<TopRow>(
      `SELECT trace_id, trace_no, day, top_segment AS segment, top_offset, top_length, total, run
       FROM agate.traces WHERE project = $1 AND trace_id = ANY($2::text[])`,
      [project, traceIds],
      "places-of-tops",
    );
    const wanted = places.filter(({ run }) => isTraffic(traffic, run));
    const byId = new Map(wanted.map((place) => [place.trace_id, place]));
    const ordered = traceIds.map((id) => byId.get(id)).filter((place) => place !== undefined);
    const tops: string[] = [];
    const scores = await ListedScores.ofTops(
      this.#database,
      project,
      ordered.map((row) => row.trace_id),
    );
    let bytes = 0;
    let seen = 0;
    for await (const { row, segment } of segmentsInOrder(this.#database, ordered)) {
      bytes += row.top_length;
      if (tops.length > 0 && bytes > maxBytes) return { tops, unread: ordered.length - seen };
      seen++;
      try {
        const body = await segment?.body();
        if (body === undefined) continue;
        const open = openRecordText(body, row.top_offset, row.top_length);
        const added = await scores.of(row.trace_id, spanIdIn(open));
        bytes += added.bytes;
        if (tops.length > 0 && bytes > maxBytes) return { tops, unread: ordered.length - seen + 1 };
        tops.push(added.listed(open, row.total, content));
      } catch (error) {
        if (!(error instanceof DamagedSegmentError)) throw error;
        onDamaged(withTraceId(error, row.trace_id));
      }
    }
    return { tops, unread: 0 };
  }
}

async function readTrace(
  { runner, readNodes }: TreeReading,
  project: string,
  traceId: string,
  finder: TraceFinder,
): Promise<TreeRead> {
  const found = await finder.find(runner, project, traceId);
  if (found === undefined) return MISSING;
  return (await readAnswer(runner, found)) ?? readNodes(found, null);
}

async function readSpan(
  { runner, readNodes }: TreeReading,
  project: string,
  spanId: string,
): Promise<TreeRead> {
  // Expressions, so that PostgreSQL looks spans up by id: in a day without statistics it would read the index of the
  // project's spans.
  const [place] = await runner.query<SpanPlace>(
    `SELECT p.trace_no, p.day, p.segment, t.trace_id, t.segments, t.spans, ${IS_SCORED} AS is_scored
     FROM agate.spans p JOIN agate.traces t ON t.trace_no = p.trace_no
     WHERE ${isSpan("p", "$1")} AND p.project || '' = $2 ORDER BY p.span_no DESC LIMIT 1`,
    [spanId, project],
    "place-of-span",
  );
  if (place === undefined) return MISSING;
  if (place.segments > 1 || place.is_scored) return readNodes(place, spanId);
  const table = tableOfDay("segments", place.day);
  const [row] = await runner.query<HeaderRow & SegmentRow>(
    `SELECT segment, header, body FROM ${table} WHERE trace_no = $1 AND segment = $2`,
    [place.trace_no, place.segment],
    `segment-of-${table}`,
  );
  return readingTrace(place.trace_id, () => {
    if (row === undefined) return readNodes(place, spanId);
    const entry = entriesOf(row).find(({ id }) => id === spanId);
    if (entry === undefined || !isAssembledEntry(entry)) return readNodes(place, spanId);
    const body = unpack(row.body);
    checkBody(unpack(row.header).toString("latin1"), body, place.trace_id);
    const json = body.subarray(entry.offset, entry.offset + entry.treeLength);
    return { kind: "assembled", json: inOwnMemory(json) };
  });
}

async function readNodes(
  runner: SqlRunner,
  project: string,
  place: TracePlace,
  focusId: string | null,
): Promise<TreeRead> {
  const merged = await mergeWhole(runner, place);
  if (merged === undefined) return MISSING;
  const { nodes } = merged;
  const focus = focusId === null ? null : merged.indexOf(focusId);
  if (nodes.length === 0 || focus === -1) return MISSING;
  const { trace_no: traceNo, trace_id: traceId, day } = place;
  const openRecords = openRecordsOf(runner, { traceNo, traceId, day }, nodes);
  const added = place.is_scored ? await additionsOfTrace(runner, project, traceId) : null;
  return { kind: "nodes", nodes, focus, added, openRecords };
}

/** All of a trace's segments; undefined when it is deleted meanwhile. */
async function mergeWhole(
  runner: SqlRunner,
  place: TracePlace,
): Promise<SegmentMerger | undefined> {
  for (let { segments } = place; ; ) {
    const { merger, count } = await merge(runner, place);
    if (count >= segments) return merger;
    const [now] = await runner.query<{ segments: number }>(
      "SELECT segments FROM agate.traces WHERE trace_no = $1",
      [place.trace_no],
    );
    if (now === undefined) return undefined;
    if (now.segments === segments) throw new DamagedSegmentError(place.trace_id);
    // It was written to while it was read.
    segments = now.segments;
  }
}

async function merge(runner: SqlRunner, { trace_no: traceNo, trace_id, day }: TracePlace) {
  const merger = new SegmentMerger();
  let count = 0;
  for (let next = 0; ; ) {
    const rows = await runner.query<HeaderRow>(
      `SELECT segment, header FROM ${tableOfDay("segments", day)}
       WHERE trace_no = $1 AND segment >= $2 ORDER BY segment LIMIT ${HEADERS_PER_READ}`,
      [traceNo, next],
    );
    readingTrace(trace_id, () => {
      for (const { segment, header: packed } of rows) {
        const header = unpack(packed).toString();
        checkTrace(header, trace_id);
        merger.add({ segment, header });
      }
    });
    count += rows.length;
    const last = rows.at(-1);
    if (last === undefined || rows.length < HEADERS_PER_READ) return { merger, count };
    next = last.segment + 1;
  }
}

function entriesOf({ segment, header }: HeaderRow) {
  return decodeHeader(unpack(header).toString(), segment);
}
