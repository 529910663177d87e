import type { SpanKind } from "@agate/protocol";
import { CONTENT_ATTRIBUTES } from "./content-attributes.ts";
import type { Dialect } from "./dialect.ts";

const PREFIX = "mastra.";
// `agent_run.input`; metadata is the application's own.
const CONTENT = /^(?!metadata\.)\w+\.(?:input|output)$/;

const KINDS: ReadonlyMap<string, SpanKind | null> = new Map([
  ["agent_run", "AGENT"],
  ["model_inference", "LLM"],
  // The call itself, or the loop around several: `gen_ai.operation.name` tells.
  ["model_generation", null],
  ["tool_call", "TOOL"],
  ["mcp_tool_call", "TOOL"],
  ["client_tool_call", "TOOL"],
  ["provider_tool_call", "TOOL"],
  ["rag_embedding", "EMBEDDING"],
  ["rag_vector_operation", "RETRIEVER"],
  ["scorer_run", "EVALUATOR"],
  ["classifier_evaluation", "EVALUATOR"],
  ["workflow_run", "WORKFLOW"],
]);

/** Mastra's exporter for OpenTelemetry. Its model and tool calls speak GenAI. */
export const mastra: Dialect = {
  name: "Mastra",
  kind: { name: "mastra.span.type", kindOf },
  text: {
    // A memory belongs to a thread, and to a resource: the user.
    userId: ["mastra.metadata.userId", "mastra.metadata.resourceId"],
    sessionId: ["mastra.metadata.sessionId", "mastra.metadata.threadId"],
  },
  numbers: { cachedInputTokens: ["gen_ai.usage.cached_input_tokens"] },
  contentNames: CONTENT_ATTRIBUTES.mastra.names,
  contentPattern: { prefix: PREFIX, rest: CONTENT },
  content(attributes, draft) {
    draft.take("inputs", attributes, "gen_ai.tool.input", "sniff");
    draft.take("outputs", attributes, "gen_ai.tool.output", "sniff");
    for (const name of attributes.keys()) {
      if (!name.startsWith(PREFIX) || !CONTENT.test(name.slice(PREFIX.length))) continue;
      draft.take(name.endsWith(".input") ? "inputs" : "outputs", attributes, name, "sniff");
    }
  },
};

// Steps of workflows and agents, chunks of answers, operations on memories and others.
function kindOf(type: string): SpanKind | null {
  const kind = KINDS.get(type);
  return kind === undefined ? "TASK" : kind;
}
