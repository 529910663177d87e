import {
  contentIn,
  listIn,
  nanosOf,
  objectIn,
  spanIdOf,
  textIn,
  traceIdOf,
} from "./foreign-values.ts";
import type { ImportedRow, ImportedSpan, Product } from "./imported-row.ts";
import { skipped } from "./imported-row.ts";
import { langfuseScore } from "./langfuse-score.ts";
import { attributesOf, INTERNAL, type OtlpJsonSpan, STATUS_CODES } from "./otlp-json.ts";
import type { ExportRow } from "./read-export.ts";

const SCOPE = { name: "langfuse-import" };

/**
 * Langfuse: exports to blob storage (`observations_v2/`, `observations/`, `traces/`, `scores/`), of the
 * pages, and answers of its public API. Names are in snake_case in the first, in camelCase in the others.
 */
export const langfuse: Product = {
  name: "Langfuse",
  rows: "observations, traces or scores",
  csv: "read",
  read: (row) => readRow(snakeCased(row)),
};

function readRow(row: ExportRow): ImportedRow | undefined {
  if ("start_time" in row && "type" in row) return readObservation(row);
  if ("data_type" in row || ("value" in row && "name" in row)) return langfuseScore(row);
  if ("id" in row && "timestamp" in row) return readTrace(row);
  return undefined;
}

/**
 * A trace is a span above its observations: it has user, session, input and output, which the rows of
 * its observations lack.
 */
function readTrace(row: ExportRow): ImportedRow {
  const id = textIn(row.id);
  const start = nanosOf(row.timestamp);
  if (id === null) return skipped("a trace without an id");
  if (start === null) return skipped("a trace without a timestamp");
  const traceId = traceIdOf(id);
  const seconds = Number(row.latency ?? Number.NaN);
  const span: OtlpJsonSpan = {
    traceId,
    spanId: spanOfTrace(traceId),
    name: textIn(row.name) ?? "trace",
    kind: INTERNAL,
    startTimeUnixNano: `${start}`,
    endTimeUnixNano: seconds >= 0 ? `${start + BigInt(Math.round(seconds * 1e9))}` : "0",
    attributes: attributesOf({
      "langfuse.observation.type": "span",
      "langfuse.trace.input": contentIn(row.input),
      "langfuse.trace.output": contentIn(row.output),
      ...contextOf(row, textIn(row.name)),
      ...metadataOf("langfuse.trace.metadata", row.metadata),
    }),
  };
  const below = [
    ...listIn(row.observations).map((each) => readPart(each, traceId, readObservation)),
    ...listIn(row.scores).map((each) => readPart(each, traceId, langfuseScore)),
  ];
  return {
    spans: [{ span, scope: SCOPE }, ...below.flatMap(({ spans }) => spans)],
    scores: below.flatMap(({ scores }) => scores),
    skipped: below.flatMap(({ skipped: reasons }) => reasons),
  };
}

/** What a trace has in it does not name the trace in every version. Lists of traces have ids alone. */
function readPart(
  part: unknown,
  traceId: string,
  read: (row: ExportRow) => ImportedRow,
): ImportedRow {
  const given = objectIn(part);
  if (given === null) return skipped();
  return read({ trace_id: traceId, ...snakeCased(given) });
}

function readObservation(row: ExportRow): ImportedRow {
  const id = textIn(row.id);
  const trace = textIn(row.trace_id);
  const start = nanosOf(row.start_time);
  if (id === null) return skipped("an observation without an id");
  if (trace === null) return skipped("an observation without a trace_id");
  if (start === null) return skipped("an observation without a start_time");
  const traceId = traceIdOf(trace);
  const type = (textIn(row.type) ?? "span").toLowerCase();
  // An event is a point in time.
  const end = nanosOf(row.end_time) ?? (type === "event" ? start : 0n);
  const isFailed = row.level === "ERROR";
  const message = textIn(row.status_message);
  const parent = parentOf(row, traceId);
  const span: OtlpJsonSpan = {
    traceId,
    spanId: spanIdOf(id, traceId),
    ...(parent !== null && { parentSpanId: parent }),
    name: textIn(row.name) ?? type,
    kind: INTERNAL,
    startTimeUnixNano: `${start}`,
    endTimeUnixNano: `${end}`,
    attributes: attributesOf({
      "langfuse.observation.type": type === "event" ? "span" : type,
      "langfuse.observation.level": textIn(row.level),
      "langfuse.observation.status_message": message,
      "langfuse.observation.input": contentIn(row.input),
      "langfuse.observation.output": contentIn(row.output),
      "langfuse.observation.model.name": textIn(row.provided_model_name) ?? textIn(row.model),
      "langfuse.observation.model.parameters": contentIn(objectIn(row.model_parameters)),
      "langfuse.observation.usage_details": usageOf(row),
      "langfuse.observation.cost_details": costsOf(row),
      "langfuse.observation.completion_start_time": textIn(row.completion_start_time),
      "langfuse.observation.prompt.name": textIn(row.prompt_name),
      "langfuse.observation.prompt.version": textIn(row.prompt_version),
      ...contextOf(row, textIn(row.trace_name)),
      ...metadataOf("langfuse.observation.metadata", row.metadata),
    }),
    ...(isFailed && {
      status: { code: STATUS_CODES.ERROR ?? 0, ...(message !== null && { message }) },
    }),
  };
  const imported: ImportedSpan = { span, scope: SCOPE };
  return { spans: [imported], scores: [], skipped: [] };
}

/** Fields of a trace that rows of enriched observations repeat; which of them is chosen for the export. */
const TRACE_FIELDS = [
  "trace_name",
  "user_id",
  "session_id",
  "tags",
  "release",
  "bookmarked",
  "public",
];

/** Rows without the trace's own fields come with rows of traces, which are above them. */
function parentOf(row: ExportRow, traceId: string): string | null {
  const parent = textIn(row.parent_observation_id);
  if (parent !== null) return spanIdOf(parent, traceId);
  const isEnriched = TRACE_FIELDS.some((name) => name in row);
  return isEnriched ? null : spanOfTrace(traceId);
}

function spanOfTrace(traceId: string): string {
  return spanIdOf("trace", traceId);
}

function contextOf(row: ExportRow, traceName: string | null) {
  // The second is of the page's own exports.
  const tags = listIn(row.tags ?? row.trace_tags);
  return {
    "langfuse.user.id": textIn(row.user_id),
    "langfuse.session.id": textIn(row.session_id),
    "langfuse.environment": textIn(row.environment),
    "langfuse.release": textIn(row.release),
    "langfuse.version": textIn(row.version),
    "langfuse.trace.name": traceName,
    "langfuse.trace.tags": tags.length > 0 ? tags : null,
  };
}

function usageOf(row: ExportRow): string | null {
  const details = objectIn(row.usage_details) ?? objectIn(row.provided_usage_details);
  if (details !== null) return JSON.stringify(details);
  const { input, output, total } = objectIn(row.usage) ?? {};
  const known = Object.entries({ input, output, total }).filter(([, n]) => typeof n === "number");
  return known.length === 0 ? null : JSON.stringify(Object.fromEntries(known));
}

function costsOf(row: ExportRow): string | null {
  const details = objectIn(row.cost_details);
  if (details !== null) return JSON.stringify(details);
  const total = textIn(row.total_cost) ?? textIn(row.calculated_total_cost);
  return total === null || !(Number(total) >= 0) ? null : JSON.stringify({ total: Number(total) });
}

function metadataOf(prefix: string, metadata: unknown): Record<string, unknown> {
  const members = objectIn(metadata);
  if (members === null) return {};
  const named = Object.entries(members).map(
    ([name, value]) => [`${prefix}.${name}`, contentIn(value)] as const,
  );
  return Object.fromEntries(named);
}

function snakeCased(row: ExportRow): ExportRow {
  const named = Object.entries(row).map(
    ([name, value]) =>
      [
        name.replaceAll(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
        value,
      ] as const,
  );
  return Object.fromEntries(named);
}
