import type { SpanKind, SpanStatus, Usage } from "@agate/protocol";
import { SPAN_STATUSES, USAGE_FIELDS } from "@agate/protocol";
import { restatesInnerCall } from "../dialects/ai-sdk.ts";
import { FIRST_FOREIGN_RANK } from "../dialects/claims.ts";
import type { NumberField } from "../dialects/dialect.ts";
import { contentFromEvents } from "../dialects/gen-ai-events.ts";
import { embeddedObject, parsedObject, quoted, valueText } from "../dialects/json-text.ts";
import { isFailedRun } from "../dialects/lang-smith.ts";
import { countsCacheApart } from "../dialects/open-llmetry.ts";
import type { AttributeValue, OtlpSpan } from "../otlp-span.ts";
import { isNumberShown } from "../otlp-span.ts";
import type { PriceLookup } from "../pricing/price-lookup.ts";
import { costOf } from "../pricing/price-lookup.ts";
import type { ReportedCall, ReportedFigures } from "../span-tree/reported-figures.ts";
import { callKey, UNIQUE_ID } from "./call-key.ts";
import type { KeyInfo } from "./key-table.ts";
import type { ResourceFields } from "./resource-fields.ts";
import type { Parameter, SpanReading } from "./span-reading.ts";

/** What the record says of a span, from its attributes and its resource. */
export interface SpanFields {
  readonly kind: SpanKind;
  readonly status: SpanStatus;
  readonly statusMessage: string | null;
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
  if (text.responseModel === null && text.requestModel === null) {
    text.requestModel = modelOfParameters(reading);
  }
  const model = text.responseModel ?? text.requestModel;
  const status = statusOf(span);
  const usage = usageOf(numbers, reading.kind, span.scope.name);
  const isModelCall = model !== null && (usage !== null || draft.hasMessages);
  const kind = reading.kind ?? (isModelCall ? "LLM" : "UNKNOWN");
  const sentCost = usage === null || !isUnpriced(reading, usage) ? numbers.cost : null;
  const cost =
    sentCost ??
    (usage === null ? null : computedCost(span, reading, usage, priceOf)) ??
    numbers.cost;
  const takesConfig = kind === "LLM" || kind === "EMBEDDING";
  const { revision } = numbers;
  return {
    kind,
    status,
    statusMessage: statusMessageOf(span, status, text.statusMessage),
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
        : reportedFigures(span, reading, kind, usage, cost, sentCost !== null),
    config: draft.config ?? (takesConfig ? requestConfigText(reading) : null),
  };
}

// Langfuse's clients before version 3 say in their own attribute alone that a span failed.
function statusOf(span: OtlpSpan): SpanStatus {
  const { statusCode, attributes } = span;
  if (attributes.get("langfuse.observation.level") === "ERROR" || isFailedRun(span)) return "ERROR";
  return SPAN_STATUSES[statusCode] ?? "UNSET";
}

function statusMessageOf(
  { statusMessage, events }: OtlpSpan,
  status: SpanStatus,
  sent: string | null,
): string | null {
  if (statusMessage !== "") return statusMessage;
  if (status !== "ERROR") return null;
  if (sent !== null) return sent;
  const exception = events.findLast(({ name }) => name === "exception")?.attributes;
  const message = exception?.get("exception.message") ?? exception?.get("exception.type");
  return typeof message === "string" && message !== "" ? message : null;
}

function modelOfParameters({ parameterObject }: SpanReading): string | null {
  const parameters = parameterObject === null ? null : parsedObject(parameterObject.value);
  const model = parameters?.model ?? parameters?.model_name;
  return typeof model === "string" && model !== "" ? model : null;
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
      if (claim.field === "responseId") return false;
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

// Instrumentations that do not know a model's price send 0. `ag.cost` was stored by the developer.
function isUnpriced({ numbers, numberRanks }: SpanReading, usage: Usage): boolean {
  return (
    numbers.cost === 0 &&
    numberRanks.cost >= FIRST_FOREIGN_RANK &&
    USAGE_FIELDS.some((field) => (usage[field] ?? 0) > 0)
  );
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

function reportedFigures(
  span: OtlpSpan,
  reading: SpanReading,
  kind: SpanKind,
  usage: Usage | null,
  cost: number | null,
  isCostSent: boolean,
): ReportedFigures {
  const isKindOfCall = kind === "LLM" || kind === "EMBEDDING" || kind === "RERANKER";
  const isModelCall = isKindOfCall && !restatesInnerCall(span.attributes);
  return {
    usage,
    cost,
    role: isModelCall || hasAgateFigures(reading) ? "own" : "restated",
    call: isModelCall ? reportedCall(span, reading, isCostSent) : undefined,
  };
}

function reportedCall(
  { start, end }: OtlpSpan,
  reading: SpanReading,
  isCostSent: boolean,
): ReportedCall | undefined {
  const { provider, responseId } = reading.text;
  const key = responseId === null ? null : callKey(provider, responseId);
  if (responseId === null || key === null) return undefined;
  if (responseId.length >= UNIQUE_ID) return { key, isCostSent };
  return { key, isCostSent, during: [start.us, Math.max(start.us, end.us)] };
}

// Figures stored under Agate's own names are the span's, of any kind.
function hasAgateFigures({ numberRanks }: SpanReading): boolean {
  return FIGURES.some((field) => numberRanks[field] < FIRST_FOREIGN_RANK);
}

/**
 * The parameters of a model call as JSON, for a span without a configuration of its own; null when
 * it has none. Marks the attributes that it shows.
 */
function requestConfigText(reading: SpanReading): string | null {
  const model = reading.text.requestModel;
  const modelText = model === null ? "" : `"model":${quoted(model)}`;
  const object = parameterObjectText(reading);
  if (object !== null) return withModel(object, modelText);
  const members = parametersText(reading);
  if (members === "") return modelText === "" ? null : `{${modelText}}`;
  return `{${modelText}${modelText === "" ? "" : ","}${members}}`;
}

function parameterObjectText(reading: SpanReading): string | null {
  if (reading.parameterObject === null) return null;
  const { name, value } = reading.parameterObject;
  const text = embeddedObject(value);
  if (text !== null) reading.draft.shown.add(name);
  return text;
}

function withModel(object: string, modelText: string): string {
  if (modelText === "" || object.includes('"model"')) return object;
  const members = object.trim().slice(1, -1).trim();
  return `{${modelText}${members === "" ? "" : `,${members}`}}`;
}

// Two dialects may send the same parameter: the better one is shown, the other stays among the
// attributes unless it says the same.
function parametersText({ parameters, draft }: SpanReading): string {
  const best = new Map<string, Parameter>();
  for (const parameter of parameters) {
    const other = best.get(parameter.key);
    if (other === undefined || parameter.rank < other.rank) best.set(parameter.key, parameter);
  }
  let text = "";
  for (const { key, name, value } of best.values()) {
    text += `${text === "" ? "" : ","}${key}${valueText(value)}`;
    draft.shown.add(name);
  }
  if (best.size === parameters.length) return text;
  for (const { key, name, value } of parameters) {
    const shown = best.get(key);
    if (shown !== undefined && valueText(shown.value) === valueText(value)) draft.shown.add(name);
  }
  return text;
}

type Numbers = Readonly<Record<NumberField, number | null>>;

/** The tokens that a span of a kind (null: not known) reported; null when it reported none. */
function usageOf(numbers: Numbers, kind: SpanKind | null, scope: string): Usage | null {
  const { inputTokens, outputTokens, totalTokens, cachedInputTokens, reasoningTokens } = numbers;
  if (
    inputTokens === null &&
    outputTokens === null &&
    totalTokens === null &&
    cachedInputTokens === null &&
    reasoningTokens === null
  ) {
    return null;
  }
  const apart = tokensApart(numbers, scope);
  const input = inputTokens === null ? null : inputTokens + apart;
  // Models that give no tokens back report none: 0 then, and not unknown.
  const output = outputTokens ?? (kind === "EMBEDDING" || kind === "RERANKER" ? 0 : null);
  const sum = input === null || output === null ? null : input + output;
  return {
    input_tokens: input,
    output_tokens: outputTokens,
    // A total that leaves out the cached tokens, too, would be less than its parts.
    total_tokens: apart > 0 ? sum : (totalTokens ?? sum),
    cached_input_tokens: cachedInputTokens,
    reasoning_tokens: reasoningTokens,
  };
}

// Input tokens include the cached ones, but some clients pass on figures of a provider that counts
// them apart. It shows when more tokens were cached than sent, or when all add up to the total; or
// the client is known for it.
function tokensApart(numbers: Numbers, scope: string): number {
  const { inputTokens, outputTokens, totalTokens } = numbers;
  const cached = numbers.cachedInputTokens ?? 0;
  const written = numbers.cacheWriteTokens ?? 0;
  const apart = cached + written;
  if (inputTokens === null || apart === 0) return 0;
  const isOver = cached > inputTokens || written > inputTokens;
  const addsUp = totalTokens !== null && totalTokens === inputTokens + (outputTokens ?? 0) + apart;
  return isOver || addsUp || countsCacheApart(scope) ? apart : 0;
}
