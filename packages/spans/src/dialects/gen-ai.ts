import type { SpanKind } from "@agate/protocol";
import type { Attributes } from "../otlp-span.ts";
import { CONTENT_ATTRIBUTES } from "./content-attributes.ts";
import type { ContentDraft } from "./content-draft.ts";
import type { Dialect } from "./dialect.ts";
import { kindNamed } from "./dialect.ts";

const KINDS: ReadonlyMap<string, SpanKind> = new Map([
  ["chat", "LLM"],
  ["generate_content", "LLM"],
  ["text_completion", "LLM"],
  ["embeddings", "EMBEDDING"],
  ["retrieval", "RETRIEVER"],
  ["create_agent", "AGENT"],
  ["invoke_agent", "AGENT"],
  ["execute_tool", "TOOL"],
  ["invoke_workflow", "WORKFLOW"],
  // Not in the conventions, but sent: by the AI SDK 7, then by OpenLLMetry.
  ["agent_step", "TASK"],
  ["rerank", "RERANKER"],
  ["ai.generatespeech", "LLM"],
  ["ai.transcribe", "LLM"],
  ["ai.streamtranscribe", "LLM"],
  ["image_generation", "LLM"],
  ["image_edit", "LLM"],
  ["image_variation", "LLM"],
  ["guardrail.run", "GUARDRAIL"],
  ["guard", "GUARDRAIL"],
  // Mastra's loop around the calls of a model.
  ["model_generation", "CHAIN"],
]);

/** The OpenTelemetry GenAI conventions, and the forms that they replaced. */
export const genAi: Dialect = {
  name: "OpenTelemetry GenAI",
  kind: { name: "gen_ai.operation.name", kindOf: (name) => KINDS.get(name) ?? kindNamed(name) },
  text: {
    responseId: ["gen_ai.response.id"],
    responseModel: ["gen_ai.response.model"],
    requestModel: ["gen_ai.request.model"],
    provider: ["gen_ai.provider.name", "gen_ai.system"],
    userId: ["enduser.id", "gen_ai.request.user", "llm.user"],
    sessionId: ["gen_ai.conversation.id"],
    // LiteLLM.
    statusMessage: ["error.message"],
  },
  numbers: {
    inputTokens: ["gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens"],
    outputTokens: ["gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens"],
    totalTokens: ["gen_ai.usage.total_tokens"],
    cachedInputTokens: [
      "gen_ai.usage.cache_read.input_tokens",
      "gen_ai.usage.cache_read_input_tokens",
      "gen_ai.usage.details.cache_read_tokens",
      "gen_ai.usage.details.cached_tokens",
    ],
    reasoningTokens: [
      "gen_ai.usage.reasoning.output_tokens",
      "gen_ai.usage.reasoning_tokens",
      "gen_ai.usage.details.reasoning_tokens",
    ],
    cacheWriteTokens: [
      "gen_ai.usage.cache_write.input_tokens",
      "gen_ai.usage.cache_creation.input_tokens",
      "gen_ai.usage.cache_creation_input_tokens",
      "gen_ai.usage.details.cache_write_tokens",
    ],
    cost: [
      "gen_ai.usage.cost",
      "gen_ai.usage.total_cost",
      "operation.cost",
      // LiteLLM, before and since its second integration.
      "gen_ai.cost.total_cost",
      "litellm.cost.total",
    ],
  },
  parameterPrefixes: ["gen_ai.request.", "gen_ai.openai.request."],
  contentNames: CONTENT_ATTRIBUTES.genAi.names,
  groups: CONTENT_ATTRIBUTES.genAi.groups,
  content(attributes, draft) {
    draft.take("inputs", attributes, "gen_ai.tool.call.arguments", "json");
    draft.take("outputs", attributes, "gen_ai.tool.call.result", "json");
    // Anthropic's SDK, of the tools that its runner calls.
    draft.take("outputs", attributes, "anthropic.tool_result.content", "json");
    draft.take("inputs", attributes, "gen_ai.retrieval.query.text", "text");
    draft.take("outputs", attributes, "gen_ai.retrieval.documents", "json");
    draft.compose("inputs", attributes, [
      { member: "messages", name: "gen_ai.input.messages", form: "json" },
      { member: "system_instructions", name: "gen_ai.system_instructions", form: "json" },
      { member: "tools", name: "gen_ai.tool.definitions", form: "json" },
    ]);
    takeToolCalls(attributes, draft);
    draft.compose("outputs", attributes, [
      { member: "messages", name: "gen_ai.output.messages", form: "json" },
    ]);
    draft.take("inputs", attributes, "gen_ai.prompt", "sniff");
    draft.take("outputs", attributes, "gen_ai.completion", "sniff");
    if (draft.indexed.size === 0) return;
    draft.compose("inputs", attributes, [
      { member: "messages", group: "gen_ai.prompt" },
      { member: "tools", group: "llm.request.functions" },
    ]);
    draft.compose("outputs", attributes, [{ member: "messages", group: "gen_ai.completion" }]);
  },
};

const NO_PARTS = /"parts":\s*\[\]/;

// LiteLLM's message of a tool call has no parts: the calls are in attributes of the older form.
function takeToolCalls(attributes: Attributes, draft: ContentDraft): void {
  const completions = draft.indexed.get("gen_ai.completion");
  const messages = attributes.get("gen_ai.output.messages");
  if (completions === undefined || draft.outputs !== null) return;
  if (typeof messages !== "string" || !NO_PARTS.test(messages)) return;
  const calls = new Map<string, Record<string, string>>();
  for (const { path, value } of completions) {
    const [index = "", member, field = ""] = path;
    if (path.length !== 3 || member !== "function_call" || typeof value !== "string") return;
    calls.set(index, { ...calls.get(index), [field]: value });
  }
  const texts = [...calls.values()].map((call) => `{"function":${JSON.stringify(call)}}`);
  draft.outputs = `{"messages":[{"role":"assistant","tool_calls":[${texts.join(",")}]}]}`;
  draft.hasMessages = true;
  draft.shownGroups.add("gen_ai.completion");
}
