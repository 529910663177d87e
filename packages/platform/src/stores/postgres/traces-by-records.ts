import type { SearchTerm } from "@agate/spans/search";
import { SpanMatcher } from "../search/span-matcher.ts";
import { DamagedSegmentError, openRecordText } from "../segments/segment.ts";
import { spansToList, whereSpans } from "./filter-sql.ts";
import { ListedScores } from "./listed-scores.ts";
import type { ReadSegment, SegmentPlace } from "./read-segments.ts";
import { segmentsInOrder } from "./read-segments.ts";
import type { SegmentRange } from "./search-plan.ts";
import type { SqlRunner } from "./span-database.ts";

/** Ranges of segments whose spans are in memory at a time. */
const RANGES_PER_READ = 100;

interface SpanRow extends SegmentPlace {
  readonly span_id: string;
  readonly trace_id: string;
}

/**
 * The numbers of a project's traces that have a term, by the records of their spans: slower than the index by far.
 *
 * @param ranges Where the term may be.
 */
export async function tracesByRecords(
  runner: SqlRunner,
  project: string,
  term: SearchTerm,
  ranges: readonly SegmentRange[],
): Promise<number[]> {
  const matcher = new SpanMatcher([term]);
  const found = new Set<number>();
  for (let at = 0; at < ranges.length; at += RANGES_PER_READ) {
    const rows = await spansIn(runner, project, ranges.slice(at, at + RANGES_PER_READ));
    const scores = await ListedScores.ofSpans(runner, project, rows);
    for await (const { row, segment } of segmentsInOrder(runner, rows)) {
      const open = found.has(row.trace_no) ? undefined : await openRecordOf(row, segment);
      if (open === undefined) continue;
      const added = await scores.of(row.trace_id, row.span_id);
      if (matcher.matches(added.listed(open, "null"))) found.add(row.trace_no);
    }
  }
  return [...found];
}

function spansIn(
  runner: SqlRunner,
  project: string,
  ranges: readonly SegmentRange[],
): Promise<SpanRow[]> {
  const where = whereSpans(project, {});
  return runner.query<SpanRow>(
    `SELECT p.trace_no, p.day, p.segment, p.span_id, t.trace_id
     FROM ${spansToList(where, { kind: "few", ranges })}
     WHERE ${where.text} ORDER BY p.trace_no, p.segment`,
    where.values,
  );
}

/** Undefined for a span that was deleted meanwhile, or is damaged: the list that shows its trace reports that. */
async function openRecordOf(
  { span_id }: SpanRow,
  segment: ReadSegment | undefined,
): Promise<string | undefined> {
  try {
    const entry = segment?.entry(span_id);
    const body = entry && (await segment?.body());
    return body && openRecordText(body, entry.offset, entry.openLength);
  } catch (error) {
    if (error instanceof DamagedSegmentError) return undefined;
    throw error;
  }
}
