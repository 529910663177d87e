import type { SpanKind } from "@agate/protocol";
import type { Attributes } from "../otlp-span.ts";
import { CONTENT_ATTRIBUTES } from "./content-attributes.ts";
import type { Dialect, DialectFigures, NumberField, TextField } from "./dialect.ts";
import { parsedObject } from "./json-text.ts";

const NAME = "genkit:name";
const SUBTYPE = "genkit:metadata:subtype";
const OUTPUT = "genkit:output";

// Genkit's types of actions; `flowStep` and `util` are of spans inside them.
const KINDS: ReadonlyMap<string, SpanKind> = new Map([
  ["flow", "WORKFLOW"],
  ["flowstep", "TASK"],
  ["util", "CHAIN"],
  ["prompt", "CHAIN"],
  ["executable-prompt", "CHAIN"],
  ["agent", "AGENT"],
  ["model", "LLM"],
  ["background-model", "LLM"],
  ["embedder", "EMBEDDING"],
  ["retriever", "RETRIEVER"],
  ["reranker", "RERANKER"],
  ["tool", "TOOL"],
  ["tool.v2", "TOOL"],
  ["indexer", "TASK"],
  ["resource", "TASK"],
  ["evaluator", "EVALUATOR"],
]);

// Actions whose name is that of a model, after the plugin's: `googleai/gemini-2.5-flash`.
const MODELS: ReadonlySet<string> = new Set(["model", "background-model", "embedder", "reranker"]);

const kindOf = (type: string): SpanKind | null => KINDS.get(type) ?? null;

/** Genkit. A model's tokens are only in its output. */
export const genkit: Dialect = {
  name: "Genkit",
  kind: [
    { name: SUBTYPE, kindOf },
    { name: "genkit:type", kindOf },
  ],
  contentNames: CONTENT_ATTRIBUTES.genkit.names,
  content(attributes, draft) {
    draft.take("inputs", attributes, "genkit:input", "json");
    draft.take("outputs", attributes, OUTPUT, "json");
  },
  figureNames: [NAME],
  figures,
};

function figures(attributes: Attributes): DialectFigures {
  const subtype = attributes.get(SUBTYPE);
  if (typeof subtype !== "string" || !MODELS.has(subtype)) return { numbers: {}, fullyRead: [] };
  const output = parsedObject(attributes.get(OUTPUT) ?? null);
  const raw = member(output, "raw");
  return {
    numbers: tokens(member(output, "usage"), member(raw, "usage")),
    text: modelNames(attributes.get(NAME), raw?.model),
    fullyRead: [],
  };
}

function modelNames(name: unknown, answered: unknown): Partial<Record<TextField, string>> {
  if (typeof name !== "string") return {};
  const slash = name.indexOf("/");
  return {
    requestModel: name.slice(slash + 1),
    ...(slash > 0 && { provider: name.slice(0, slash) }),
    ...(typeof answered === "string" && { responseModel: answered }),
  };
}

type Members = Readonly<Record<string, unknown>>;

/** Plugins for OpenAI's protocol leave the details in the provider's own answer, `raw`. */
function tokens(usage: Members | null, raw: Members | null): DialectFigures["numbers"] {
  const numbers: Partial<Record<NumberField, number>> = {};
  const set = (field: NumberField, ...counts: readonly unknown[]) => {
    const count = counts.find(isCount);
    if (count !== undefined) numbers[field] = count;
  };
  set("inputTokens", usage?.inputTokens);
  set("outputTokens", usage?.outputTokens);
  set("totalTokens", usage?.totalTokens);
  const cached = member(raw, "prompt_tokens_details")?.cached_tokens;
  const reasoned = member(raw, "completion_tokens_details")?.reasoning_tokens;
  set("cachedInputTokens", usage?.cachedContentTokens, cached);
  set("reasoningTokens", usage?.thoughtsTokens, reasoned);
  const { inputTokens = 0, outputTokens, reasoningTokens = 0, totalTokens } = numbers;
  // Gemini counts its thoughts apart from the output: only the total includes them.
  if (outputTokens !== undefined && totalTokens === inputTokens + outputTokens + reasoningTokens) {
    numbers.outputTokens = outputTokens + reasoningTokens;
  }
  return numbers;
}

function member(object: Members | null, name: string): Members | null {
  const value = object?.[name];
  return typeof value === "object" && value !== null ? (value as Members) : null;
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}
