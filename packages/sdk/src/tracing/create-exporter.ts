import { isRequestBound } from "../runtime/workers-runtime.ts";
import type { ExporterParts, QueuedExporter } from "./queued-exporter.ts";
import { RequestBoundExporter } from "./request-bound-exporter.ts";
import { SpanExporter } from "./span-exporter.ts";

/** Makes the exporter for this runtime. */
export function createExporter(parts: ExporterParts): QueuedExporter {
  return isRequestBound() ? new RequestBoundExporter(parts) : new SpanExporter(parts);
}
