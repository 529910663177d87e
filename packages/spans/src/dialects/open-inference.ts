import type { Attributes } from "../otlp-span.ts";
import { CONTENT_ATTRIBUTES } from "./content-attributes.ts";
import type { ContentDraft, ContentPart } from "./content-draft.ts";
import type { Dialect } from "./dialect.ts";
import { kindNamed } from "./dialect.ts";
import type { TextForm } from "./json-text.ts";

const INPUT_GROUPS: readonly ContentPart[] = [
  { member: "messages", group: "llm.input_messages" },
  { member: "prompts", group: "llm.prompts" },
  { member: "tools", group: "llm.tools" },
  { member: "query", name: "reranker.query", form: "text" },
  { member: "documents", group: "reranker.input_documents" },
];
const OUTPUT_GROUPS: readonly ContentPart[] = [
  { member: "messages", group: "llm.output_messages" },
  { member: "choices", group: "llm.choices" },
  { member: "documents", group: "retrieval.documents" },
  { member: "documents", group: "reranker.output_documents" },
  { member: "embeddings", group: "embedding.embeddings" },
];
const INTERNALS: readonly ContentPart[] = [
  { member: "input_messages", group: "llm.input_messages" },
  { member: "prompts", group: "llm.prompts" },
  { member: "tools", group: "llm.tools" },
  { member: "query", name: "reranker.query", form: "text" },
  { member: "input_documents", group: "reranker.input_documents" },
  { member: "output_messages", group: "llm.output_messages" },
  { member: "choices", group: "llm.choices" },
  { member: "documents", group: "retrieval.documents" },
  { member: "output_documents", group: "reranker.output_documents" },
  { member: "embeddings", group: "embedding.embeddings" },
];

/** OpenInference, as Arize Phoenix and its instrumentations write it. */
export const openInference: Dialect = {
  name: "OpenInference",
  kind: {
    name: "openinference.span.kind",
    // A prompt template that is filled in.
    kindOf: (kind) => (kind === "prompt" ? "CHAIN" : kindNamed(kind)),
  },
  text: {
    responseModel: [
      "llm.response.model_name",
      "llm.model_name",
      "embedding.model_name",
      "reranker.model_name",
    ],
    requestModel: ["llm.request.model_name"],
    provider: ["llm.provider", "llm.system"],
  },
  numbers: {
    inputTokens: ["llm.token_count.prompt"],
    outputTokens: ["llm.token_count.completion"],
    totalTokens: ["llm.token_count.total"],
    cachedInputTokens: [
      "llm.token_count.prompt_details.cache_read",
      "llm.token_count.prompt_details.cache_input",
    ],
    reasoningTokens: ["llm.token_count.completion_details.reasoning"],
    cacheWriteTokens: ["llm.token_count.prompt_details.cache_write"],
    cost: ["llm.cost.total"],
  },
  parameterObjects: ["llm.invocation_parameters"],
  contentNames: CONTENT_ATTRIBUTES.openInference.names,
  groups: CONTENT_ATTRIBUTES.openInference.groups,
  content(attributes, draft) {
    draft.take("inputs", attributes, "input.value", formOf(attributes, "input.mime_type"));
    const takeOutput = () =>
      draft.take("outputs", attributes, "output.value", formOf(attributes, "output.mime_type"));
    // Of a streamed tool call the text is empty, and only the messages say what the model answered.
    if (attributes.get("output.value") !== "") takeOutput();
    draft.compose("inputs", attributes, INPUT_GROUPS);
    draft.compose("outputs", attributes, OUTPUT_GROUPS);
    takeOutput();
    composeRest(attributes, draft);
  },
};

// The instrumentations send a call's exact input and output, and its messages taken out of them. The
// exact ones are the content; the messages are kept beside them.
function composeRest(attributes: Attributes, draft: ContentDraft): void {
  if (draft.indexed.size > 0) draft.compose("internals", attributes, INTERNALS);
}

function formOf(attributes: Attributes, name: string): TextForm {
  const mimeType = attributes.get(name);
  if (mimeType === undefined) return "sniff";
  return mimeType === "application/json" ? "json" : "text";
}
