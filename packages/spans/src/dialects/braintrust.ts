import type { SpanKind } from "@agate/protocol";
import type { Attributes } from "../otlp-span.ts";
import { CONTENT_ATTRIBUTES } from "./content-attributes.ts";
import type { Dialect, DialectFigures, NumberField, TextField } from "./dialect.ts";
import { kindNamed } from "./dialect.ts";
import { parsedObject } from "./json-text.ts";
import { tokensNamed } from "./token-names.ts";

const METRICS = "braintrust.metrics";
const METADATA = "braintrust.metadata";

const TOKENS: ReadonlyMap<string, NumberField> = new Map([
  ["prompt_tokens", "inputTokens"],
  ["completion_tokens", "outputTokens"],
  ["tokens", "totalTokens"],
  ["prompt_cached_tokens", "cachedInputTokens"],
  ["prompt_cache_creation_tokens", "cacheWriteTokens"],
  ["completion_reasoning_tokens", "reasoningTokens"],
  ["estimated_cost", "cost"],
]);

const TEXTS: readonly (readonly [string, TextField])[] = [
  ["model", "requestModel"],
  ["provider", "provider"],
  ["user_id", "userId"],
  ["session_id", "sessionId"],
];

const KINDS: ReadonlyMap<string, SpanKind> = new Map([
  ["function", "TASK"],
  ["score", "EVALUATOR"],
  ["eval", "EVALUATOR"],
]);

/** Braintrust's names for spans of OpenTelemetry. Some hold JSON objects. */
export const braintrust: Dialect = {
  name: "Braintrust",
  kind: { name: "braintrust.span_attributes", kindOf },
  contentNames: CONTENT_ATTRIBUTES.braintrust.names,
  content(attributes, draft) {
    draft.take("inputs", attributes, "braintrust.input_json", "json");
    draft.take("outputs", attributes, "braintrust.output_json", "json");
    draft.take("inputs", attributes, "braintrust.input", "sniff");
    draft.take("outputs", attributes, "braintrust.output", "sniff");
  },
  figureNames: [METRICS, METADATA],
  figures,
};

function kindOf(spanAttributes: string): SpanKind | null {
  const type = parsedObject(spanAttributes)?.type;
  return typeof type === "string" ? (KINDS.get(type) ?? kindNamed(type)) : null;
}

function figures(attributes: Attributes): DialectFigures {
  const numbers = tokensNamed(parsedObject(attributes.get(METRICS) ?? null), TOKENS);
  const metadata = parsedObject(attributes.get(METADATA) ?? null);
  const text: Partial<Record<TextField, string>> = {};
  for (const [name, field] of TEXTS) {
    const value = metadata?.[name];
    if (typeof value === "string") text[field] = value;
  }
  return { numbers, text, fullyRead: [] };
}
