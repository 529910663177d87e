import { AGATE_ATTRIBUTES } from "@agate/protocol";
import type { Span } from "@opentelemetry/api";
import { agateSpanOf } from "./agate-span.ts";
import type { RecordedContent } from "./content-policy.ts";
import type { ContentField, Redact } from "./redaction.ts";
import type { Telemetry } from "./telemetry.ts";

/** What is not recorded of a function's calls. */
export interface ContentRules {
  /** True to record no inputs; or the keys to leave out of each argument. */
  readonly ignoreInputs?: boolean | readonly string[] | undefined;
  /** Likewise for what it returns. */
  readonly ignoreOutputs?: boolean | readonly string[] | undefined;
  /** What else not to record, beyond what the app says. */
  readonly redact?: Redact | undefined;
}

const NOTHING: RecordedContent = { text: null, isRedacted: false };
const IGNORED: RecordedContent = { text: null, isRedacted: true };

/** What a function saw, as far as its rules allow. Never throws. */
export function contentByRules(
  { ignoreInputs, ignoreOutputs, redact }: ContentRules,
  telemetry: Telemetry,
  span: string,
  field: ContentField,
  value: unknown,
  json?: string,
): RecordedContent {
  const ignored = field === "inputs" ? ignoreInputs : field === "outputs" && ignoreOutputs;
  if (value === undefined) return NOTHING;
  if (ignored === true) return IGNORED;
  if (!ignored) return telemetry.contentText(value, { field, span, redact, json });
  const kept = withoutKeys(value, ignored, (error) => telemetry.fault(error));
  const { text, isRedacted } = telemetry.contentText(kept, { field, span, redact });
  return { text, isRedacted: isRedacted || kept !== value };
}

/** Records it on a span. */
export function recordByRules(
  rules: ContentRules,
  telemetry: Telemetry,
  span: Span,
  field: ContentField,
  value: unknown,
  json?: string,
): void {
  if (!span.isRecording()) return;
  const name = agateSpanOf(span)?.record.name ?? "";
  const { text, isRedacted } = contentByRules(rules, telemetry, name, field, value, json);
  if (text !== null) span.setAttribute(AGATE_ATTRIBUTES[field], text);
  if (isRedacted) span.setAttribute(AGATE_ATTRIBUTES.redacted, true);
}

/** Characters of JSON that are recorded of an output; 0 where none is. */
export function outputLimitOf({ ignoreOutputs }: ContentRules, telemetry: Telemetry): number {
  return ignoreOutputs === true ? 0 : telemetry.contentLimit;
}

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

/**
 * A value without some of its keys; of a list, each of its objects without them. The same value where
 * it has none of them. If it cannot be read, nothing of it.
 */
function withoutKeys(
  value: unknown,
  keys: readonly string[],
  failed: (error: unknown) => void,
): unknown {
  try {
    if (!Array.isArray(value)) return omit(value, keys);
    const kept = value.map((item) => omit(item, keys));
    return kept.every((item, index) => item === value[index]) ? value : kept;
  } catch (error) {
    failed(error);
    return undefined;
  }
}

function omit(value: unknown, keys: readonly string[]): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  if (!keys.some((key) => key in value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)));
}
