import type { SpanKind } from "@agate/protocol";
import type { Attributes } from "../otlp-span.ts";
import { CONTENT_ATTRIBUTES } from "./content-attributes.ts";
import type { Dialect, DialectFigures, NumberField, TextField } from "./dialect.ts";
import { kindNamed } from "./dialect.ts";
import { parsedObject } from "./json-text.ts";
import { costIn, tokensNamed } from "./token-names.ts";

const USAGE = "mlflow.chat.tokenUsage";
const COST = "mlflow.llm.cost";

const TEXTS: readonly (readonly [string, TextField])[] = [
  ["mlflow.llm.model", "responseModel"],
  ["mlflow.llm.provider", "provider"],
];

const TOKENS: ReadonlyMap<string, NumberField> = new Map([
  ["input_tokens", "inputTokens"],
  ["output_tokens", "outputTokens"],
  ["total_tokens", "totalTokens"],
  ["cache_read_input_tokens", "cachedInputTokens"],
  ["cache_creation_input_tokens", "cacheWriteTokens"],
]);

const KINDS: ReadonlyMap<string, SpanKind> = new Map([
  ["chat_model", "LLM"],
  ["parser", "TASK"],
  ["memory", "TASK"],
]);

/** MLflow's tracing. Every value is JSON, a text with its quotes. */
export const mlflow: Dialect = {
  name: "MLflow",
  kind: { name: "mlflow.spanType", kindOf },
  contentNames: CONTENT_ATTRIBUTES.mlflow.names,
  content(attributes, draft) {
    draft.take("inputs", attributes, "mlflow.spanInputs", "json");
    draft.take("outputs", attributes, "mlflow.spanOutputs", "json");
  },
  figureNames: [USAGE, COST, ...TEXTS.map(([name]) => name)],
  figures,
};

function kindOf(value: string): SpanKind | null {
  const type = unquoted(value);
  return KINDS.get(type) ?? kindNamed(type);
}

function figures(attributes: Attributes): DialectFigures {
  const numbers = tokensNamed(parsedObject(attributes.get(USAGE) ?? null), TOKENS);
  const cost = costIn(parsedObject(attributes.get(COST) ?? null));
  if (cost !== null) numbers.cost = cost;
  const text: Partial<Record<TextField, string>> = {};
  for (const [name, field] of TEXTS) {
    const value = attributes.get(name);
    if (typeof value === "string") text[field] = unquoted(value);
  }
  return { numbers, text, fullyRead: [] };
}

function unquoted(value: string): string {
  return value.length > 1 && value.startsWith('"') && value.endsWith('"')
    ? value.slice(1, -1)
    : value;
}
