import type { Span } from "@opentelemetry/api";
import { recordContent } from "./record-content.ts";
import type { ContentField, Redact } from "./redaction.ts";
import type { Telemetry } from "./telemetry.ts";
import { withoutKeys } from "./without-keys.ts";

/** What is not recorded of a function's calls. */
export interface ContentRules {
  /** True to record no inputs; or the keys to leave out of each argument. */
  readonly ignoreInputs?: boolean | readonly string[] | undefined;
  /** Likewise for what it returns. */
  readonly ignoreOutputs?: boolean | readonly string[] | undefined;
  /** What else not to record, beyond what the app says. */
  readonly redact?: Redact | undefined;
}

/** Records what a function saw, as far as its rules allow. Never throws. */
export function recordByRules(
  { ignoreInputs, ignoreOutputs, redact }: ContentRules,
  telemetry: Telemetry,
  span: Span,
  field: ContentField,
  value: unknown,
): void {
  const ignored = field === "inputs" ? ignoreInputs : field === "outputs" && ignoreOutputs;
  if (ignored === true) return;
  const kept = ignored ? withoutKeys(value, ignored, (error) => telemetry.fault(error)) : value;
  recordContent(telemetry, span, field, kept, redact);
}
