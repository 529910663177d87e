import { AGATE_ATTRIBUTES as AG } from "@agate/protocol";

/** The attributes of one vocabulary that hold what a call was given, and what it gave. */
interface ContentNames {
  readonly names: readonly string[];
  /** Prefixes of indexed attributes: `gen_ai.prompt` for `gen_ai.prompt.0.role`. */
  readonly groups: readonly string[];
}

/**
 * The one list of content attributes. The dialects read them; the SDK leaves them out where content
 * is not to be recorded. It is part of the SDK's core: keep it to names.
 */
export const CONTENT_ATTRIBUTES = {
  agate: { names: [AG.inputs, AG.internals, AG.outputs, AG.config], groups: [] },
  openInference: {
    names: ["input.value", "output.value", "reranker.query"],
    groups: [
      "llm.input_messages",
      "llm.prompts",
      "llm.tools",
      "reranker.input_documents",
      "llm.output_messages",
      "llm.choices",
      "retrieval.documents",
      "reranker.output_documents",
      "embedding.embeddings",
    ],
  },
  genAi: {
    names: [
      "gen_ai.tool.call.arguments",
      "gen_ai.tool.call.result",
      "gen_ai.input.messages",
      "gen_ai.output.messages",
      "gen_ai.system_instructions",
      "gen_ai.tool.definitions",
      "gen_ai.retrieval.query.text",
      "gen_ai.retrieval.documents",
      "gen_ai.prompt",
      "gen_ai.completion",
      "anthropic.tool_result.content",
    ],
    groups: ["gen_ai.prompt", "gen_ai.completion", "llm.request.functions"],
  },
  openLlmetry: {
    names: [
      "traceloop.entity.input",
      "traceloop.entity.output",
      "gen_ai.guardrail.input",
      "gen_ai.guardrail.output",
    ],
    groups: ["llm.completions"],
  },
  langfuse: {
    names: [
      "langfuse.observation.input",
      "langfuse.observation.output",
      "langfuse.trace.input",
      "langfuse.trace.output",
    ],
    groups: [],
  },
  aiSdk: {
    names: [
      "ai.prompt",
      "ai.prompt.messages",
      "ai.prompt.tools",
      "ai.prompt.toolChoice",
      "ai.toolCall.args",
      "ai.toolCall.result",
      "ai.value",
      "ai.values",
      "ai.embedding",
      "ai.embeddings",
      "ai.documents",
      "ai.ranking",
      "ai.decision.state",
      "ai.decision.questions",
      "ai.decision.answers",
      "ai.request.text",
      "ai.response.text",
      "ai.response.object",
      "ai.response.toolCalls",
      "ai.response.reasoning",
      "ai.response.files",
    ],
    groups: [],
  },
  agenta: {
    names: [],
    groups: ["ag.data.inputs", "ag.data.internals", "ag.data.outputs"],
  },
  braintrust: {
    names: [
      "braintrust.input_json",
      "braintrust.output_json",
      "braintrust.input",
      "braintrust.output",
    ],
    groups: [],
  },
  genkit: { names: ["genkit:input", "genkit:output"], groups: [] },
  mastra: { names: ["gen_ai.tool.input", "gen_ai.tool.output"], groups: [] },
  mlflow: { names: ["mlflow.spanInputs", "mlflow.spanOutputs"], groups: [] },
  openLit: { names: ["function.args", "function.kwargs"], groups: [] },
  pydanticAi: {
    names: [
      "pydantic_ai.all_messages",
      "final_result",
      "all_messages_events",
      "tool_arguments",
      "tool_response",
    ],
    groups: [],
  },
  /** What no dialect reads: of the same vocabularies, older versions of them, and other tools. */
  unread: {
    names: [
      // Parameters of a model call as one object, instructions and tools among them.
      "llm.invocation_parameters",
      "embedding.invocation_parameters",
      "langfuse.observation.model.parameters",
      "langfuse.observation.status_message",
      "llm.prompt_template.template",
      "llm.prompt_template.variables",
      "llm.function_call",
      "embedding.text",
      "embedding.vector",
      "tool.parameters",
      "traceloop.prompt.template",
      "traceloop.prompt.template_variables",
      "db.query.result.document",
      "db.query.result.metadata",
      "db.query.result.vector",
      "db.query.embeddings.vector",
      "mcp.response.value",
      "gen_ai.request.available_tools",
      "gen_ai.response.text",
      "gen_ai.response.object",
      "gen_ai.evaluation.explanation",
      "gen_ai.guardrail.error.message",
      "ai.response.providerMetadata",
      "ai.result.text",
      "ai.result.object",
      // Logfire and Pydantic AI.
      "logfire.msg",
      "request_data",
      "response_data",
      "events",
      "gcp.vertex.agent.llm_request",
      "gcp.vertex.agent.llm_response",
      "gcp.vertex.agent.tool_response",
      "langwatch.rag.contexts",
      "lk.chat_ctx",
      "lk.response.text",
    ],
    groups: ["db.query.parameter", "honeyhive_inputs", "honeyhive_outputs"],
  },
} as const satisfies Readonly<Record<string, ContentNames>>;

const TABLE: readonly ContentNames[] = Object.values(CONTENT_ATTRIBUTES);
const NAMES: ReadonlySet<string> = new Set(
  TABLE.flatMap(({ names, groups }) => [...names, ...groups]),
);
const GROUPS = TABLE.flatMap(({ groups }) => groups.map((group) => `${group}.`));

// How tools call it that the list does not know: `mlflow.spanInputs`, `genkit:output`, `messages.0`.
const CONTENT_WORD =
  /(?:inputs?|outputs?|prompts?|completions?|messages|arguments|args|tool_?calls?|transcripts?|contents?)(?:$|\.\d)/i;

// Events whose attributes are one message, a piece of an answer or a document that was found.
const CONTENT_EVENT =
  /^gen_ai\.(?:\w+\.message|choice|content\.)|^db\.(?:query|search)\.(?:embeddings|result)|^llm\.content/;

// Sentry keeps the AI SDK's attributes below a prefix of its own.
const SENTRYS = "vercel.";

/**
 * Whether an attribute holds content: inputs, outputs, messages, documents, parameters as an object.
 *
 * @example
 * isContentAttribute("llm.input_messages.0.message.content", "Hello"); // true
 * isContentAttribute("gen_ai.usage.input_tokens", 12); // false
 */
export function isContentAttribute(name: string, value: unknown): boolean {
  const known = name.startsWith(SENTRYS) ? name.slice(SENTRYS.length) : name;
  if (NAMES.has(known) || GROUPS.some((group) => known.startsWith(group))) {
    return !isNamed(known);
  }
  // Counts of them are no content.
  return typeof value !== "number" && typeof value !== "boolean" && CONTENT_WORD.test(name);
}

/** Whether an event exists only to carry content. */
export function isContentEvent(name: string): boolean {
  return CONTENT_EVENT.test(name);
}

// A managed prompt's name and version: of `gen_ai.prompt`, only what has an index is content.
function isNamed(name: string): boolean {
  return name === "gen_ai.prompt.name" || name === "gen_ai.prompt.version";
}
