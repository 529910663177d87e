import { CONTENT_ATTRIBUTES } from "./content-attributes.ts";
import type { Dialect } from "./dialect.ts";
import { kindNamed } from "./dialect.ts";

const ASSOCIATION = "traceloop.association.properties";

/** OpenLLMetry (Traceloop). Its model calls speak GenAI; these are its own names, old ones too. */
export const openLlmetry: Dialect = {
  name: "OpenLLMetry",
  kind: { name: "traceloop.span.kind", kindOf: kindNamed },
  text: {
    userId: [`${ASSOCIATION}.user_id`],
    sessionId: [`${ASSOCIATION}.session_id`],
  },
  numbers: {
    inputTokens: ["llm.usage.prompt_tokens"],
    outputTokens: ["llm.usage.completion_tokens"],
    totalTokens: ["llm.usage.total_tokens"],
  },
  parameters: {
    "llm.top_k": "top_k",
    "llm.frequency_penalty": "frequency_penalty",
    "llm.presence_penalty": "presence_penalty",
    "llm.chat.stop_sequences": "stop_sequences",
  },
  contentNames: CONTENT_ATTRIBUTES.openLlmetry.names,
  groups: CONTENT_ATTRIBUTES.openLlmetry.groups,
  content(attributes, draft) {
    draft.take("inputs", attributes, "traceloop.entity.input", "json");
    draft.take("outputs", attributes, "traceloop.entity.output", "json");
    draft.take("inputs", attributes, "gen_ai.guardrail.input", "json");
    draft.take("outputs", attributes, "gen_ai.guardrail.output", "json");
    if (draft.indexed.size === 0) return;
    draft.compose("outputs", attributes, [{ member: "completions", group: "llm.completions" }]);
  },
};

/**
 * Whether an instrumentation's input tokens leave out the cached ones. OpenLLMetry's of Anthropic for
 * JavaScript passes on Anthropic's own count, and a total without them.
 */
export function countsCacheApart(scope: string): boolean {
  return scope === "@traceloop/instrumentation-anthropic";
}
