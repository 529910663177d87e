import type { TraceRow } from "../../api/trace-row.ts";
import type { TracesSearch } from "../traces-search.ts";

/** Where a row leads, and the list to come back to from there. */
export function rowTarget(row: TraceRow, list: TracesSearch) {
  return {
    to: "/traces/$traceId",
    params: { traceId: row.traceId },
    search: list.view === "spans" ? { span: row.spanId } : {},
    state: { list },
  } as const;
}
