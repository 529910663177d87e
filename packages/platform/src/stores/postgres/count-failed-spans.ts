import type { FailedSpans, FailedSpansRequest } from "../span-query.ts";
import { MOST_SPANS_COUNTED } from "../span-query.ts";
import type { SpanDatabase, SqlRunner } from "./span-database.ts";

/** Spans are found by the numbers that segments name: no index has them by trace. */
const COUNT = `SELECT t.trace_id AS "traceId", count(*) AS count
  FROM agate.traces t
  JOIN agate.segments s ON s.day = t.day AND s.trace_no = t.trace_no
  JOIN agate.spans p ON p.day = s.day AND p.span_no >= s.first_span
    AND p.span_no < s.first_span + s.spans
  WHERE t.project = $1 AND t.trace_id = ANY($2::text[]) AND t.spans <= ${MOST_SPANS_COUNTED}
    AND p.status = 'ERROR'
  GROUP BY 1`;

export function countFailedSpans(
  database: SpanDatabase,
  { project, traceIds }: FailedSpansRequest,
  signal?: AbortSignal,
): Promise<readonly FailedSpans[]> {
  const run = (runner: SqlRunner) => runner.query<FailedSpans>(COUNT, [project, traceIds]);
  return database.transaction(run, "BEGIN READ ONLY", signal);
}
