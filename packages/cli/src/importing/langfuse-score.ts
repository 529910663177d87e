import { nanosOf, objectIn, spanIdOf, textIn, traceIdOf } from "./foreign-values.ts";
import { type ImportedRow, skipped } from "./imported-row.ts";
import type { ExportRow } from "./read-export.ts";

/** A score of Langfuse's exports, as its API takes one. */
export function langfuseScore(row: ExportRow): ImportedRow {
  const { trace, observation } = subjectOf(row);
  if (trace === null) {
    // Version 3 of the API leaves the subject out unless it is asked for.
    const isUnnamed = !NAMES_SUBJECT.some((name) => name in row);
    return skipped(
      isUnnamed
        ? "a score without its subject: export scores with fields=details,subject"
        : "a score of a session or a dataset run, not of a trace",
    );
  }
  const traceId = traceIdOf(trace);
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

const NAMES_SUBJECT = ["subject", "trace_id", "session_id", "dataset_run_id"];

/** What is judged: version 3 of the API has one object for it, all else have columns. */
function subjectOf(row: ExportRow) {
  const subject = objectIn(row.subject);
  if (subject === null) {
    return { trace: textIn(row.trace_id), observation: textIn(row.observation_id) };
  }
  const id = textIn(subject.id);
  switch (subject.kind) {
    case "trace":
      return { trace: id, observation: null };
    case "observation":
      return { trace: textIn(subject.traceId) ?? textIn(subject.trace_id), observation: id };
    default:
      return { trace: null, observation: null };
  }
}

/** A correction replaces an output; its number says nothing. */
const HAVE_TEXT: readonly unknown[] = ["CATEGORICAL", "TEXT", "CORRECTION"];

/** The number of a category is its place among the others, which says nothing without them. */
function scoreValue(row: ExportRow): number | string | boolean | null {
  if (typeof row.value === "boolean") return row.value;
  const text = textIn(row.string_value);
  if (text !== null && HAVE_TEXT.includes(row.data_type)) return text;
  const value = textIn(row.value);
  if (value === null) return text;
  const number = Number(value);
  return Number.isFinite(number) ? number : value;
}
