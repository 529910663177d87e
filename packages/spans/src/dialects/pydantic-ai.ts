import { CONTENT_ATTRIBUTES } from "./content-attributes.ts";
import type { Dialect } from "./dialect.ts";

/**
 * Pydantic AI and Logfire. Their model and tool calls speak GenAI; the agent around them has the
 * whole conversation and the result under names of its own.
 */
export const pydanticAi: Dialect = {
  name: "Pydantic AI and Logfire",
  contentNames: CONTENT_ATTRIBUTES.pydanticAi.names,
  content(attributes, draft) {
    if (attributes.has("pydantic_ai.all_messages")) {
      draft.compose("inputs", attributes, [
        { member: "messages", name: "pydantic_ai.all_messages", form: "json" },
        { member: "system_instructions", name: "gen_ai.system_instructions", form: "json" },
      ]);
    }
    draft.take("outputs", attributes, "final_result", "sniff");
    // Before version 1 of their conventions.
    draft.take("inputs", attributes, "all_messages_events", "json");
    draft.take("inputs", attributes, "tool_arguments", "json");
    draft.take("outputs", attributes, "tool_response", "sniff");
  },
};
