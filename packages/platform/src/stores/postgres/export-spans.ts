import type { StoredSpan } from "@agate/spans";
import type { ExportPosition, OtherColumns } from "../segments/export-parts.ts";
import {
  EXPORT_BEGINNING,
  exportedSpan,
  PartBuilder,
  parseExportPosition,
} from "../segments/export-parts.ts";
import { checkBody, decodeHeader, readingTrace } from "../segments/segment.ts";
import type { ProjectCount, SpanPart } from "../span-store.ts";
import { tableOfDay } from "./day.ts";
import { isMissingDay } from "./postgres-errors.ts";
import { unpack } from "./read-segments.ts";
import type { SqlRunner } from "./span-database.ts";

/** Traces that are looked up at a time, and segments that are in memory. */
const TRACES_PER_READ = 500;
const SEGMENTS_PER_READ = 32;

interface TraceRow {
  readonly trace_no: number;
  readonly day: number;
  readonly project: string;
  readonly trace_id: string;
  readonly received: number;
  readonly segments: number;
}

const SEGMENT = "trace_no, segment, first_span, header, body";

interface SegmentRow {
  readonly trace_no: number;
  readonly segment: number;
  readonly first_span: number;
  readonly header: Buffer<ArrayBuffer>;
  readonly body: Buffer<ArrayBuffer>;
}

type ColumnsRow = { readonly span_no: number } & OtherColumns;

/** Every project that has traces. Day by day, so that no statement takes long. */
export async function countSpans(runner: SqlRunner): Promise<ProjectCount[]> {
  const days = await runner.query<{ day: string }>(
    `WITH RECURSIVE days AS (
       (SELECT day FROM agate.traces ORDER BY day LIMIT 1)
       UNION ALL
       SELECT (SELECT t.day FROM agate.traces t WHERE t.day > d.day ORDER BY t.day LIMIT 1)
       FROM days d WHERE d.day IS NOT NULL
     )
     SELECT day::text AS day FROM days WHERE day IS NOT NULL`,
  );
  const counts = new Map<string, ProjectCount>();
  for (const { day } of days) {
    const rows = await runner.query<ProjectCount>(
      `SELECT project, count(*) AS traces, sum(spans)::bigint AS spans FROM agate.traces
       WHERE day = $1::date GROUP BY project`,
      [day],
    );
    for (const { project, traces, spans } of rows) {
      const before = counts.get(project) ?? { traces: 0, spans: 0 };
      const sum = { traces: before.traces + traces, spans: before.spans + spans };
      counts.set(project, { project, ...sum });
    }
  }
  return [...counts.values()].sort((a, b) => (a.project < b.project ? -1 : 1));
}

/** Everything as it was appended, in the order of arrival. */
export async function* exportSpans(
  runner: SqlRunner,
  after: string | null,
): AsyncGenerator<SpanPart, void, void> {
  const builder = new PartBuilder();
  const from = after === null ? EXPORT_BEGINNING : parseExportPosition(after);
  for await (const segment of segmentsAfter(runner, from)) {
    const finished = builder.add(segment);
    if (finished !== undefined) yield finished;
  }
  const last = builder.finish();
  if (last !== undefined) yield last;
}

interface ExportedSegment {
  readonly trace: TraceRow;
  readonly segment: number;
  readonly spans: readonly StoredSpan[];
}

async function* segmentsAfter(
  runner: SqlRunner,
  from: ExportPosition,
): AsyncGenerator<ExportedSegment, void, void> {
  yield* restOfTrace(runner, from);
  for (let { received, traceNo } = from; ; ) {
    const traces = await runner.query<TraceRow>(
      `SELECT trace_no, day, project, trace_id, received, segments FROM agate.traces
       WHERE (received, trace_no) > ($1, $2) ORDER BY received, trace_no LIMIT $3`,
      [received, traceNo, TRACES_PER_READ],
    );
    for (const some of readTogether(traces)) {
      const [first] = some;
      if (some.length === 1 && first !== undefined) yield* segmentsOf(runner, first, -1);
      else yield* segmentsOfSmall(runner, some);
    }
    const last = traces.at(-1);
    if (last === undefined) return;
    ({ received, trace_no: traceNo } = last);
  }
}

/** What is left of the trace in which a part ended, unless it has grown since and comes later. */
async function* restOfTrace(
  runner: SqlRunner,
  { received, traceNo, segment }: ExportPosition,
): AsyncGenerator<ExportedSegment, void, void> {
  const [trace] = await runner.query<TraceRow>(
    `SELECT trace_no, day, project, trace_id, received, segments FROM agate.traces
     WHERE received = $1 AND trace_no = $2`,
    [received, traceNo],
  );
  if (trace !== undefined) yield* segmentsOf(runner, trace, segment);
}

/** Neighbours of one day that are small enough to be read together; a large trace alone. */
function* readTogether(traces: readonly TraceRow[]): Generator<readonly TraceRow[], void, void> {
  let some: TraceRow[] = [];
  let segments = 0;
  for (const trace of traces) {
    segments += trace.segments;
    if (some.length > 0 && (segments > SEGMENTS_PER_READ || trace.day !== some[0]?.day)) {
      yield some;
      some = [];
      segments = trace.segments;
    }
    some.push(trace);
  }
  if (some.length > 0) yield some;
}

async function* segmentsOfSmall(
  runner: SqlRunner,
  traces: readonly TraceRow[],
): AsyncGenerator<ExportedSegment, void, void> {
  const day = traces[0]?.day ?? 0;
  const rows = await whereThere(
    runner.query<SegmentRow>(
      `SELECT ${SEGMENT} FROM ${tableOfDay("segments", day)}
       WHERE trace_no = ANY($1::bigint[]) ORDER BY trace_no, segment`,
      [traces.map(({ trace_no }) => trace_no)],
    ),
  );
  const columns = await readColumns(runner, day, rows);
  const rowsOf = Map.groupBy(rows, (row) => row.trace_no);
  for (const trace of traces) yield* exported(trace, rowsOf.get(trace.trace_no) ?? [], columns);
}

async function* segmentsOf(
  runner: SqlRunner,
  trace: TraceRow,
  after: number,
): AsyncGenerator<ExportedSegment, void, void> {
  for (let last = after; ; ) {
    const rows = await whereThere(
      runner.query<SegmentRow>(
        `SELECT ${SEGMENT} FROM ${tableOfDay("segments", trace.day)}
         WHERE trace_no = $1 AND segment > $2 ORDER BY segment LIMIT ${SEGMENTS_PER_READ}`,
        [trace.trace_no, last],
      ),
    );
    yield* exported(trace, rows, await readColumns(runner, trace.day, rows));
    if (rows.length < SEGMENTS_PER_READ) return;
    last = rows.at(-1)?.segment ?? last;
  }
}

function* exported(
  trace: TraceRow,
  rows: readonly SegmentRow[],
  columns: ReadonlyMap<number, ColumnsRow>,
): Generator<ExportedSegment, void, void> {
  for (const row of rows) {
    const spans = spansIn(trace, row, columns);
    if (spans.length > 0) yield { trace, segment: row.segment, spans };
  }
}

/** None when the traces were deleted meanwhile, and their day dropped. */
async function whereThere(rows: Promise<SegmentRow[]>): Promise<SegmentRow[]> {
  try {
    return await rows;
  } catch (error) {
    if (isMissingDay(error)) return [];
    throw error;
  }
}

/** By the spans' numbers. None where a span was sent again since: that is in a later segment. */
async function readColumns(
  runner: SqlRunner,
  day: number,
  segments: readonly SegmentRow[],
): Promise<Map<number, ColumnsRow>> {
  if (segments.length === 0) return new Map();
  const rows = await runner.query<ColumnsRow>(
    `SELECT p.span_no, p.name, p.spankind AS kind, p.status, p.latency, p.application, p.route,
       p.variant, p.revision, p.environment, p.user_id AS "userId", p.session_id AS "sessionId", p.run
     FROM unnest($1::bigint[], $2::integer[]) AS n (trace_no, segment)
     JOIN ${tableOfDay("spans", day)} p ON p.trace_no = n.trace_no AND p.segment = n.segment`,
    [segments.map(({ trace_no }) => trace_no), segments.map(({ segment }) => segment)],
  );
  return new Map(rows.map((row) => [row.span_no, row]));
}

function spansIn(
  { trace_id }: TraceRow,
  { segment, first_span, header, body }: SegmentRow,
  columnsOf: ReadonlyMap<number, ColumnsRow>,
): StoredSpan[] {
  const [bytes, text] = readingTrace(
    trace_id,
    () => [unpack(body), unpack(header).toString()] as const,
  );
  readingTrace(trace_id, () => checkBody(text, bytes, trace_id));
  const spans: StoredSpan[] = [];
  const entries = readingTrace(trace_id, () => decodeHeader(text, segment));
  for (const entry of entries) {
    const columns = columnsOf.get(first_span + entry.place);
    if (columns === undefined) continue;
    const { span_no: _, ...own } = columns;
    const openRecord = bytes.toString("utf8", entry.offset, entry.offset + entry.openLength);
    spans.push(exportedSpan(trace_id, entry, own, openRecord));
  }
  return spans;
}
