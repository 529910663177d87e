import { isRecord } from "@agate/protocol";
import { flattened } from "./flattened-attributes.ts";
import { listIn, nanosOf, objectIn, spanIdOf, textIn, traceIdOf } from "./foreign-values.ts";
import {
  type ImportedRow,
  type ImportedScore,
  type ImportedSpan,
  type Product,
  skipped,
} from "./imported-row.ts";
import { attributesOf, INTERNAL, type OtlpJsonSpan, STATUS_CODES } from "./otlp-json.ts";
import type { ExportRow } from "./read-export.ts";

const SCOPE = { name: "phoenix-import" };

/**
 * Phoenix: spans as its API and client have them, the same as rows of a dataframe
 * (`context.trace_id`, `attributes.llm.model_name`), OTLP, and annotations.
 */
export const phoenix: Product = {
  name: "Phoenix",
  rows: "spans or annotations",
  csv: {
    instead:
      'CSV of a dataframe has values as Python prints them. Write JSON: df.to_json("spans.jsonl", orient="records", lines=True)',
  },
  read(row) {
    if (Array.isArray(row.resourceSpans ?? row.resource_spans)) return readOtlp(row);
    if ("startTimeUnixNano" in row || "start_time_unix_nano" in row) {
      return { spans: [{ span: row, scope: SCOPE }], scores: [], skipped: [] };
    }
    if ("start_time" in row && "name" in row) return readSpan(row);
    if ("annotator_kind" in row && "name" in row) return readAnnotation(row);
    return undefined;
  },
};

function readOtlp(row: ExportRow): ImportedRow {
  const spans: ImportedSpan[] = [];
  for (const ofResource of listIn(row.resourceSpans ?? row.resource_spans)) {
    if (!isRecord(ofResource)) continue;
    const resource = isRecord(ofResource.resource) ? ofResource.resource : undefined;
    for (const ofScope of listIn(ofResource.scopeSpans ?? ofResource.scope_spans)) {
      if (!isRecord(ofScope)) continue;
      const scope = isRecord(ofScope.scope) ? ofScope.scope : SCOPE;
      for (const span of listIn(ofScope.spans)) {
        if (isRecord(span)) spans.push({ span, scope, resource });
      }
    }
  }
  return { spans, scores: [], skipped: [] };
}

function readSpan(row: ExportRow): ImportedRow {
  const context = objectIn(row.context) ?? {};
  const trace = textIn(row["context.trace_id"]) ?? textIn(context.trace_id);
  const id = textIn(row["context.span_id"]) ?? textIn(context.span_id);
  const start = nanosOf(row.start_time);
  if (trace === null) return skipped("a span without a context.trace_id");
  if (id === null) {
    return skipped("a span without a context.span_id (of a dataframe it may be the index)");
  }
  if (start === null) return skipped("a span without a start_time");
  const traceId = traceIdOf(trace);
  const spanId = spanIdOf(id, traceId);
  const parent = textIn(row.parent_id);
  const message = textIn(row.status_message);
  const span: OtlpJsonSpan = {
    traceId,
    spanId,
    ...(parent !== null && { parentSpanId: spanIdOf(parent, traceId) }),
    name: textIn(row.name) ?? "span",
    kind: INTERNAL,
    startTimeUnixNano: `${start}`,
    endTimeUnixNano: `${nanosOf(row.end_time) ?? 0n}`,
    attributes: attributesOf(attributesIn(row)),
    events: listIn(row.events).flatMap((event) => eventOf(event, start)),
    status: {
      code: STATUS_CODES[textIn(row.status_code) ?? ""] ?? 0,
      ...(message !== null && { message }),
    },
  };
  const annotations = listIn(row.annotations).filter(isRecord);
  return {
    spans: [{ span, scope: SCOPE }],
    scores: annotations.map((each) => scoreOf("phoenix-span", { ...each, span_id: spanId })),
    skipped: [],
  };
}

const COLUMN = "attributes.";

function attributesIn(row: ExportRow): Record<string, unknown> {
  const columns = Object.entries(row)
    .filter(([name]) => name.startsWith(COLUMN))
    .map(([name, value]) => [name.slice(COLUMN.length), value] as const);
  const kind = textIn(row.span_kind);
  return {
    ...(kind !== null && { "openinference.span.kind": kind }),
    ...flattened(objectIn(row.attributes) ?? {}),
    ...flattened(Object.fromEntries(columns)),
  };
}

function eventOf(event: unknown, start: bigint) {
  if (!isRecord(event)) return [];
  return {
    name: textIn(event.name) ?? "event",
    timeUnixNano: `${nanosOf(event.timestamp) ?? nanosOf(event.time) ?? start}`,
    attributes: attributesOf(flattened(objectIn(event.attributes) ?? {})),
  };
}

function readAnnotation(row: ExportRow): ImportedRow {
  // Of several documents of one span the last would replace the others.
  if (typeof row.document_position === "number") {
    return skipped("an annotation of a retrieved document, not of a span");
  }
  const span = textIn(row.span_id);
  if (span !== null) {
    return { spans: [], scores: [scoreOf("phoenix-span", row)], skipped: [] };
  }
  const trace = textIn(row.trace_id);
  if (trace === null) return skipped("an annotation of neither a span nor a trace");
  const scored = { ...row, trace_id: traceIdOf(trace) };
  return { spans: [], scores: [scoreOf("phoenix-trace", scored)], skipped: [] };
}

function scoreOf(target: ImportedScore["target"], annotation: ExportRow): ImportedScore {
  const { span_id, trace_id, name, annotator_kind, identifier, metadata } = annotation;
  const result = objectIn(annotation.result) ?? {};
  const score = { name, annotator_kind, identifier, result, metadata };
  return {
    target,
    score: target === "phoenix-span" ? { ...score, span_id } : { ...score, trace_id },
  };
}
