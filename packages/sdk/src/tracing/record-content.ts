import type { Span } from "@opentelemetry/api";
import { recordByRules } from "./content-rules.ts";
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
  recordByRules({ redact }, telemetry, span, field, value);
}
