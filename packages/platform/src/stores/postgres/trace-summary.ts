import type { SpanColumns, TraceToWrite } from "../segments/batch-encoder.ts";
import type { Belonging } from "../summary/summary-columns.ts";
import { fillBelonging, openFields, totalColumns } from "../summary/summary-columns.ts";

/** What lists, filters and analytics see of a trace, with types: the summary's columns. */
export const TRACE_SUMMARY = [
  ["top_segment", "integer"],
  ["top_offset", "integer"],
  ["top_length", "integer"],
  ["start", "bigint"],
  ["start_nanos", "smallint"],
  ["latency", "float8"],
  ["name", "text"],
  ["spankind", "text"],
  ["status", "text"],
  ["application", "text"],
  ["route", "text"],
  ["variant", "text"],
  ["revision", "bigint"],
  ["environment", "text"],
  ["user_id", "text"],
  ["session_id", "text"],
  ["cost", "float8"],
  ["input_tokens", "float8"],
  ["output_tokens", "float8"],
  ["total_tokens", "float8"],
  ["total", "text"],
] as const;

/** Where a span's belonging begins in its columns, and how many they are. */
const BELONGING_AT = 7;
const BELONGING_LENGTH = 7;

/** The summary of a trace whose spans all came together, in the order of {@link TRACE_SUMMARY}. */
export function summaryOfNew(trace: TraceToWrite): (string | number | null)[] {
  const top = trace.columns[trace.top] as SpanColumns;
  const belonging = fillBelonging(belongingOf(top), whatOthersSay(trace.columns, top));
  return [
    0,
    0,
    trace.topOpenLength,
    ...top.slice(1, BELONGING_AT),
    ...belonging,
    ...totalColumns(trace.total),
  ];
}

function belongingOf(columns: SpanColumns): Belonging {
  return columns.slice(BELONGING_AT, BELONGING_AT + BELONGING_LENGTH) as unknown as Belonging;
}

/** Of the spans that say something the top does not, by start, then id. */
function whatOthersSay(columns: readonly SpanColumns[], top: SpanColumns): Belonging[] {
  const open = openFields(belongingOf(top));
  return columns
    .filter((span) => open.some((field) => span[BELONGING_AT + field] !== null))
    .sort((a, b) => a[1] - b[1] || a[2] - b[2] || (a[0] < b[0] ? -1 : 1))
    .map(belongingOf);
}
