import { SegmentMerger } from "../segments/node-table.ts";
import { tableOfDay } from "./day.ts";
import { unpack } from "./read-segments.ts";
import type { SqlRunner } from "./span-database.ts";

interface HeaderRow {
  readonly trace_no: number;
  readonly segment: number;
  readonly header: Buffer<ArrayBuffer>;
}

/** The nodes of some traces of one day, by their numbers; a trace that is gone is left out. */
export async function mergeHeaders(
  runner: SqlRunner,
  day: number,
  traceNos: readonly number[],
): Promise<Map<number, SegmentMerger>> {
  const rows = await runner.query<HeaderRow>(
    `SELECT trace_no, segment, header FROM ${tableOfDay("segments", day)}
     WHERE trace_no = ANY($1::bigint[]) ORDER BY trace_no, segment`,
    [traceNos],
  );
  const mergers = new Map<number, SegmentMerger>();
  for (const { trace_no, segment, header } of rows) {
    const merger = mergers.get(trace_no) ?? new SegmentMerger();
    mergers.set(trace_no, merger);
    merger.add({ segment, header: unpack(header).toString() });
  }
  return mergers;
}
