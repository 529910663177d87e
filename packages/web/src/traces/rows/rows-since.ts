import type { TraceRow } from "../../api/trace-row.ts";

/** Of rows, newest first, those that did not begin before a time: RFC 3339, undefined for no bound. */
export function rowsSince(
  rows: readonly TraceRow[],
  from: string | undefined,
): readonly TraceRow[] {
  if (from === undefined) return rows;
  const earliest = Date.parse(from);
  const last = rows.findLastIndex(({ startedAt }) => !(Date.parse(startedAt) < earliest));
  return last === rows.length - 1 ? rows : rows.slice(0, last + 1);
}
