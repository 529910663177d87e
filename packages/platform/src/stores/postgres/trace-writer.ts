import type { SpanColumns } from "../summary/summary-columns.ts";
import { canDeferSummary } from "../summary/summary-pacer.ts";
import { CopyRows } from "./copy-rows.ts";
import type { RejectedInProject } from "./known-traces.ts";
import { prepareKnownTraces } from "./known-traces.ts";
import type { IncomingTrace } from "./packed-trace.ts";
import type { PlacedTrace } from "./place-traces.ts";
import { placeTraces } from "./place-traces.ts";
import type { SqlTransaction } from "./span-database.ts";
import type { TraceToSummarise } from "./summarise-traces.ts";
import { summariseTraces } from "./summarise-traces.ts";
import { UnindexedPlaces } from "./unindexed-places.ts";

/**
 * Writes traces inside a transaction. The first statement locks the rows of their traces, so that no other
 * transaction changes these traces until the commit.
 *
 * @param incoming Each trace at most once.
 * @param isSaturated Whether batches had to wait: indexing makes room for them.
 * @returns The spans that their traces have no room for.
 */
export async function writeTraces(
  transaction: SqlTransaction,
  incoming: readonly IncomingTrace[],
  maxSpansPerTrace: number,
  isSaturated: boolean,
): Promise<RejectedInProject[]> {
  const placed = await placeTraces(transaction, incoming);
  const rejected: RejectedInProject[] = [];
  // A new trace of more spans than one may have was placed as a whole: it is cut like a known one.
  const isWhole = ({ isNew, trace }: PlacedTrace) =>
    isNew && trace.columns.length <= maxSpansPerTrace;
  const fresh = placed.filter(isWhole);
  const known = await prepareKnownTraces(
    transaction,
    placed.filter((one) => !isWhole(one)),
    maxSpansPerTrace,
    rejected,
  );
  await writeRows(transaction, [...fresh, ...known], isSaturated);
  await countSpans(
    transaction,
    known.filter(({ trace }) => trace.columns.length > 0),
  );
  return rejected;
}

async function writeRows(
  transaction: SqlTransaction,
  placed: readonly PlacedTrace[],
  isSaturated: boolean,
): Promise<void> {
  const segments = new CopyRows();
  const spans = new CopyRows();
  const unindexed = new UnindexedPlaces();
  for (const { project, trace, traceNo, day, firstSegment, firstSpans } of placed) {
    for (const [n, { header, body, answerSum, spans: indices }] of trace.segments.entries()) {
      const segment = firstSegment + n;
      let spanNo = firstSpans[n] as number;
      unindexed.add(indices.length, [day, traceNo, segment]);
      segments.row(8).date(day).int8(traceNo).int4(segment).int8(spanNo).int4(indices.length);
      segments.bytes(header).bytes(body).int4(answerSum);
      for (const index of indices) {
        spans.row(21).date(day).int8(spanNo++).int8(traceNo).int4(segment);
        writeColumns(spans, project, trace.columns[index] as SpanColumns);
      }
    }
  }
  await transaction.copy(
    "agate.segments (day, trace_no, segment, first_span, spans, header, body, answer_sum)",
    segments,
  );
  await transaction.copy(
    `agate.spans (day, span_no, trace_no, segment, span_id, project, start, start_nanos, latency, name, spankind,
       status, application, route, variant, revision, environment, user_id, session_id, run, cost)`,
    spans,
  );
  const rows = unindexed.rows();
  await transaction.query(
    `INSERT INTO agate.unindexed (places, spans, is_saturated)
     SELECT places, spans, $3::boolean FROM unnest($1::text[], $2::integer[]) AS n (places, spans)`,
    [rows.map(({ places }) => places), rows.map(({ spans }) => spans), String(isSaturated)],
  );
}

function writeColumns(rows: CopyRows, project: string, columns: SpanColumns): void {
  const [spanId, start, startNanos, latency, name, kind, status, ...rest] = columns;
  const [application, route, variant, revision, environment, userId, sessionId, run, cost] = rest;
  rows.text(spanId).text(project).int8(start).int2(startNanos).float8(latency).text(name);
  rows.text(kind).text(status);
  rows.text(application).text(route).text(variant).int8(revision).text(environment);
  rows.text(userId).text(sessionId).text(run).float8(cost);
}

/** Notes how many spans traces have now, and makes the summaries that are due. */
async function countSpans(
  transaction: SqlTransaction,
  changed: readonly PlacedTrace[],
): Promise<void> {
  if (changed.length === 0) return;
  // The row of a new trace was made from spans that were left out.
  const isDue = (one: PlacedTrace) => one.isNew || !canDeferSummary(one);
  const [waiting, due] = [changed.filter((one) => !isDue(one)), changed.filter(isDue)];
  if (waiting.length > 0) {
    await transaction.query(
      `UPDATE agate.traces t SET spans = n.spans, summarised = n.summarised
       FROM unnest($1::bigint[], $2::integer[], $3::integer[]) AS n (trace_no, spans, summarised)
       WHERE t.trace_no = n.trace_no`,
      [
        waiting.map(({ traceNo }) => traceNo),
        waiting.map(({ spans }) => spans),
        waiting.map(({ summarised }) => summarised),
      ],
    );
  }
  await summariseTraces(
    transaction,
    due.map(({ traceNo, day }): TraceToSummarise => ({ traceNo, day })),
  );
}
