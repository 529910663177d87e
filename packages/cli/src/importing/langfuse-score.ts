import { nanosOf, spanIdOf, textIn, traceIdOf } from "./foreign-values.ts";
import { type ImportedRow, skipped } from "./imported-row.ts";
import type { ExportRow } from "./read-export.ts";

/** A score of Langfuse's exports, as its API takes one. */
export function langfuseScore(row: ExportRow): ImportedRow {
  const trace = textIn(row.trace_id);
  if (trace === null) return skipped("a score of a session or a dataset run, not of a trace");
  const traceId = traceIdOf(trace);
  const observation = textIn(row.observation_id);
  const value = scoreValue(row);
  if (value === null) return skipped("a score without a value");
  const nanos = nanosOf(row.timestamp) ?? nanosOf(row.created_at);
  const score = {
    id: textIn(row.id),
    traceId,
    observationId: observation === null ? null : spanIdOf(observation, traceId),
    name: row.name,
    value,
    dataType: row.data_type,
    source: row.source,
    comment: textIn(row.comment),
    timestamp: nanos === null ? null : new Date(Number(nanos / 1_000_000n)).toISOString(),
  };
  return { spans: [], scores: [{ target: "langfuse", score }], skipped: [] };
}

/** The number of a category is its place among the others, which says nothing without them. */
function scoreValue(row: ExportRow): number | string | null {
  const text = textIn(row.string_value);
  if (text !== null && (row.data_type === "CATEGORICAL" || row.data_type === "TEXT")) return text;
  const value = textIn(row.value);
  if (value === null) return text;
  const number = Number(value);
  return Number.isFinite(number) ? number : value;
}
