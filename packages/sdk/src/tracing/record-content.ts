import { AGATE_ATTRIBUTES } from "@agate/protocol";
import type { Span } from "@opentelemetry/api";
import { agateSpanOf } from "./agate-span.ts";
import type { ContentField, Redact } from "./redaction.ts";
import type { Telemetry } from "./telemetry.ts";

/** Records what a function saw as JSON, redacted and bounded. Never throws. */
export function recordContent(
  telemetry: Telemetry,
  span: Span,
  field: ContentField,
  value: unknown,
  redact?: Redact,
): void {
  if (value === undefined || !span.isRecording()) return;
  const name = agateSpanOf(span)?.record.name ?? "";
  const text = telemetry.contentText(value, { field, span: name, redact });
  if (text !== null) span.setAttribute(AGATE_ATTRIBUTES[field], text);
}
