import type { SpanKind, Usage } from "@agate/protocol";
import { restatesInnerCall } from "../dialects/ai-sdk.ts";
import type { NumberField } from "../dialects/claim.ts";
import { FIRST_FOREIGN_RANK } from "../dialects/claims.ts";
import { contentFromEvents } from "../dialects/gen-ai-events.ts";
import type { AttributeValue, OtlpSpan } from "../otlp-span.ts";
import { costOf } from "../pricing/cost-of.ts";
import type { PriceLookup } from "../pricing/price-lookup.ts";
import type { ReportedFigures } from "../span-tree/span-node.ts";
import { requestConfigText } from "./config-text.ts";
import type { KeyInfo } from "./key-table.ts";
import { isNumberShown } from "./number-of.ts";
import type { ResourceFields } from "./resource-fields.ts";
import type { SpanReading } from "./span-reading.ts";
import { usageOf } from "./usage-of.ts";

/** What the record says of a span, from its attributes and its resource. */
export interface SpanFields {
  readonly kind: SpanKind;
  readonly model: string | null;
  readonly provider: string | null;
  readonly userId: string | null;
  readonly sessionId: string | null;
  readonly application: string | null;
  readonly environment: string | null;
  readonly variantId: string | null;
  readonly variantName: string | null;
  readonly revision: number | null;
  readonly usage: Usage | null;
  readonly cost: number | null;
  readonly figures: ReportedFigures | null;
  /** JSON, or null. */
  readonly config: string | null;
}

/** Decides the fields from what was read. */
export function spanFields(
  span: OtlpSpan,
  reading: SpanReading,
  resource: ResourceFields,
  priceOf: PriceLookup,
): SpanFields {
  const { text, numbers, draft } = reading;
  if (span.events.length > 0) contentFromEvents(span.events, draft);
  const model = text.responseModel ?? text.requestModel;
  const usage = usageOf(numbers, reading.kind);
  const isModelCall = model !== null && (usage !== null || draft.hasMessages);
  const kind = reading.kind ?? (isModelCall ? "LLM" : "UNKNOWN");
  const cost =
    numbers.cost ?? (usage === null ? null : computedCost(span, reading, usage, priceOf));
  const takesConfig = kind === "LLM" || kind === "EMBEDDING";
  const { revision } = numbers;
  return {
    kind,
    model,
    provider: text.provider,
    userId: text.userId,
    sessionId: text.sessionId,
    application: text.application ?? resource.application,
    environment: text.environment ?? resource.environment,
    variantId: text.variantId ?? resource.variantId,
    variantName: text.variantName ?? resource.variantName,
    revision: Number.isInteger(revision) ? revision : resource.revision,
    usage,
    cost,
    figures:
      usage === null && cost === null
        ? null
        : { usage, cost, role: isOwn(span, reading, kind) ? "own" : "restated" },
    config: draft.config ?? (takesConfig ? requestConfigText(reading) : null),
  };
}

/** Whether a field of the record shows the attribute's whole value, so that it need not be repeated. */
export function isShown(
  info: KeyInfo,
  value: AttributeValue,
  fields: SpanFields,
  reading: SpanReading,
): boolean {
  const { claim } = info;
  if (claim === null) return false;
  switch (claim.use) {
    case "text":
      return claim.field === "responseModel" || claim.field === "requestModel"
        ? value === fields.model
        : value === fields[claim.field];
    case "number":
      return isNumberShown(value, shownNumber(claim.field, fields));
    case "kind":
      return value === fields.kind || value === fields.kind.toLowerCase();
    case "indexed":
      return reading.draft.shownGroups.has(claim.group);
    case "figures":
      return (
        reading.figures?.fullyRead.includes(info.name) === true &&
        Object.entries(reading.figures.numbers).every(
          ([field, number]) => shownNumber(field as NumberField, fields) === number,
        )
      );
    default:
      return reading.draft.shown.has(info.name);
  }
}

function shownNumber(field: NumberField, fields: SpanFields): number | null {
  const { usage } = fields;
  switch (field) {
    case "revision":
      return fields.revision;
    case "cost":
      return fields.cost;
    case "inputTokens":
      return usage?.input_tokens ?? null;
    case "outputTokens":
      return usage?.output_tokens ?? null;
    case "totalTokens":
      return usage?.total_tokens ?? null;
    case "cachedInputTokens":
      return usage?.cached_input_tokens ?? null;
    case "reasoningTokens":
      return usage?.reasoning_tokens ?? null;
    case "cacheWriteTokens":
      return null;
  }
}

function computedCost(
  span: OtlpSpan,
  reading: SpanReading,
  usage: Usage,
  priceOf: PriceLookup,
): number | null {
  const { responseModel, requestModel, provider } = reading.text;
  const at = span.start.us;
  const prices =
    (responseModel === null ? null : priceOf(provider, responseModel, at)) ??
    (requestModel === null ? null : priceOf(provider, requestModel, at));
  return prices === null ? null : costOf(prices, usage, reading.numbers.cacheWriteTokens);
}

const FIGURES: readonly NumberField[] = [
  "inputTokens",
  "outputTokens",
  "totalTokens",
  "cachedInputTokens",
  "reasoningTokens",
  "cost",
];

// Figures that a developer stored by Agate's own names are the span's, whatever its kind.
function isOwn(span: OtlpSpan, reading: SpanReading, kind: SpanKind): boolean {
  if (FIGURES.some((field) => reading.numberRanks[field] < FIRST_FOREIGN_RANK)) return true;
  const isModelCall = kind === "LLM" || kind === "EMBEDDING" || kind === "RERANKER";
  return isModelCall && !restatesInnerCall(span.attributes);
}
