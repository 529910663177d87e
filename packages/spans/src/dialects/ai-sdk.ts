import type { SpanKind } from "@agate/protocol";
import type { Attributes } from "../otlp-span.ts";
import { CONTENT_ATTRIBUTES } from "./content-attributes.ts";
import type { Dialect } from "./dialect.ts";

const OPERATION = "ai.operationId";

// Calls to a model that have no span of their own inside.
const SINGLE_CALLS: ReadonlySet<string> = new Set([
  "ai.generatespeech",
  "ai.transcribe",
  "ai.streamtranscribe",
]);

/**
 * The AI SDK's `ai.*` attributes: versions 3 to 6, and 7 with `LegacyOpenTelemetry`. Version 7 speaks
 * GenAI by default, with a few of these beside it.
 */
export const aiSdk: Dialect = {
  name: "AI SDK",
  kind: { name: OPERATION, kindOf },
  text: {
    responseId: ["ai.response.id"],
    responseModel: ["ai.response.model"],
    requestModel: ["ai.model.id"],
    provider: ["ai.model.provider"],
    // Version 7 has its runtime context in place of the metadata.
    userId: ["ai.telemetry.metadata.userId", "ai.settings.context.userId"],
    sessionId: ["ai.telemetry.metadata.sessionId", "ai.settings.context.sessionId"],
  },
  numbers: {
    inputTokens: ["ai.usage.inputTokens", "ai.usage.promptTokens", "ai.usage.tokens"],
    outputTokens: ["ai.usage.outputTokens", "ai.usage.completionTokens"],
    totalTokens: ["ai.usage.totalTokens"],
    cachedInputTokens: [
      "ai.usage.cachedInputTokens",
      "ai.usage.inputTokenDetails.cacheReadTokens",
      "ai.usage.cachedPromptTokens",
    ],
    reasoningTokens: ["ai.usage.reasoningTokens", "ai.usage.outputTokenDetails.reasoningTokens"],
    cacheWriteTokens: ["ai.usage.inputTokenDetails.cacheWriteTokens"],
  },
  parameters: {
    "ai.settings.temperature": "temperature",
    "ai.settings.topP": "top_p",
    "ai.settings.topK": "top_k",
    "ai.settings.maxOutputTokens": "max_tokens",
    "ai.settings.maxTokens": "max_tokens",
    "ai.settings.frequencyPenalty": "frequency_penalty",
    "ai.settings.presencePenalty": "presence_penalty",
    "ai.settings.stopSequences": "stop_sequences",
    "ai.settings.seed": "seed",
    "ai.settings.maxRetries": "max_retries",
  },
  contentNames: CONTENT_ATTRIBUTES.aiSdk.names,
  content(attributes, draft) {
    if (attributes.has("ai.prompt.messages")) {
      draft.compose("inputs", attributes, [
        { member: "messages", name: "ai.prompt.messages", form: "json" },
        { member: "tools", name: "ai.prompt.tools", form: "json-items" },
        { member: "tool_choice", name: "ai.prompt.toolChoice", form: "json" },
      ]);
    }
    draft.take("inputs", attributes, "ai.prompt", "json");
    draft.take("inputs", attributes, "ai.toolCall.args", "json");
    draft.take("inputs", attributes, "ai.value", "json");
    draft.take("inputs", attributes, "ai.values", "json-items");
    draft.take("inputs", attributes, "ai.documents", "json-items");
    draft.take("inputs", attributes, "ai.request.text", "text");
    draft.compose("inputs", attributes, [
      { member: "state", name: "ai.decision.state", form: "json" },
      { member: "questions", name: "ai.decision.questions", form: "json" },
    ]);
    draft.take("outputs", attributes, "ai.toolCall.result", "json");
    draft.take("outputs", attributes, "ai.embedding", "json");
    draft.take("outputs", attributes, "ai.embeddings", "json-items");
    draft.take("outputs", attributes, "ai.ranking", "json-items");
    draft.take("outputs", attributes, "ai.decision.answers", "json");
    draft.takeOrCompose("outputs", attributes, [
      { member: "text", name: "ai.response.text", form: "text" },
      { member: "reasoning", name: "ai.response.reasoning", form: "text" },
      { member: "object", name: "ai.response.object", form: "json" },
      { member: "tool_calls", name: "ai.response.toolCalls", form: "json" },
      { member: "files", name: "ai.response.files", form: "json" },
    ]);
  },
};

/** Whether the span only wraps the call to the model, and repeats the tokens of the span inside. */
export function restatesInnerCall(attributes: Attributes): boolean {
  const operation = attributes.get(OPERATION);
  return (
    typeof operation === "string" &&
    operation.startsWith("ai.") &&
    !operation.includes(".do") &&
    !SINGLE_CALLS.has(operation.toLowerCase())
  );
}

function kindOf(operation: string): SpanKind | null {
  if (!operation.startsWith("ai.")) return null;
  if (operation === "ai.toolcall") return "TOOL";
  if (SINGLE_CALLS.has(operation)) return "LLM";
  if (operation.endsWith(".dogenerate") || operation.endsWith(".dostream")) return "LLM";
  if (operation.endsWith(".doembed")) return "EMBEDDING";
  if (operation.endsWith(".dorerank")) return "RERANKER";
  if (operation.startsWith("ai.generate") || operation.startsWith("ai.stream")) return "AGENT";
  if (operation.startsWith("ai.embed") || operation.startsWith("ai.rerank")) return "CHAIN";
  return null;
}
