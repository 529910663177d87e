import type { SpanKind } from "@agate/protocol";
import type { Attributes, OtlpSpan } from "../otlp-span.ts";
import type { Dialect, DialectFigures, NumberField } from "./dialect.ts";
import { kindNamed } from "./dialect.ts";
import { parsedObject } from "./json-text.ts";
import { costIn, tokensNamed } from "./token-names.ts";

// The documented name, which the SDK for JavaScript sends, and the one that both SDKs do.
const USAGE = ["langsmith.usage_metadata", "langsmith.metadata.usage_metadata"];

const TOKENS: ReadonlyMap<string, NumberField> = new Map([
  ["input_tokens", "inputTokens"],
  ["output_tokens", "outputTokens"],
  ["total_tokens", "totalTokens"],
]);
const INPUT_DETAILS: ReadonlyMap<string, NumberField> = new Map([
  ["cache_read", "cachedInputTokens"],
  ["cache_creation", "cacheWriteTokens"],
]);
const OUTPUT_DETAILS: ReadonlyMap<string, NumberField> = new Map([
  ["reasoning", "reasoningTokens"],
]);

const KIND = "langsmith.span.kind";

const KINDS: ReadonlyMap<string, SpanKind> = new Map([
  ["prompt", "CHAIN"],
  ["parser", "TASK"],
]);

/**
 * LangSmith's export to OpenTelemetry. Content is in GenAI's names; the kind is not: a retriever is
 * an operation `embeddings` there.
 */
export const langSmith: Dialect = {
  name: "LangSmith",
  kind: { name: KIND, kindOf: (kind) => KINDS.get(kind) ?? kindNamed(kind) },
  text: {
    requestModel: ["langsmith.metadata.ls_model_name"],
    provider: ["langsmith.metadata.ls_provider"],
    userId: ["langsmith.metadata.user_id"],
    // LangSmith takes any of them for the thread.
    sessionId: [
      "langsmith.metadata.session_id",
      "langsmith.metadata.thread_id",
      "langsmith.metadata.conversation_id",
    ],
    // Its project.
    application: ["langsmith.trace.session_name"],
  },
  figureNames: USAGE,
  figures,
};

function figures(attributes: Attributes): DialectFigures {
  const sent = USAGE.map((name) => parsedObject(attributes.get(name) ?? null));
  const usage = sent.find((object) => object !== null) ?? null;
  const details = (name: string) => {
    const value = usage?.[name];
    return typeof value === "object" ? (value as Record<string, unknown> | null) : null;
  };
  const numbers: Partial<Record<NumberField, number>> = {
    ...tokensNamed(usage, TOKENS),
    ...tokensNamed(details("input_token_details"), INPUT_DETAILS),
    ...tokensNamed(details("output_token_details"), OUTPUT_DETAILS),
  };
  const cost = costIn(usage);
  if (cost !== null) numbers.cost = cost;
  return { numbers, fullyRead: [] };
}

const OK = 1;

/**
 * Whether a span is a run that LangSmith's SDK reports as failed though its status is OK. The SDK sets
 * OK when a run starts, and OpenTelemetry ignores the ERROR that it sets at the end: all that is left
 * is the exception, which the SDK records for failed runs only.
 *
 * It holds for spans of the SDK alone. Others record exceptions that they have handled, also on spans
 * that they give a `langsmith.span.kind` to have them shown in LangSmith.
 */
export function isFailedRun({ statusCode, events, scope, attributes }: OtlpSpan): boolean {
  if (statusCode !== OK || !events.some(({ name }) => name === "exception")) return false;
  // The SDK for JavaScript takes a tracer of any name, and marks its spans then.
  const isOfSdk = scope.name === "langsmith" || attributes.get("langsmith.traceable") === "true";
  return isOfSdk && attributes.has(KIND);
}
