import { CONTENT_ATTRIBUTES } from "./content-attributes.ts";
import type { Dialect } from "./dialect.ts";

const ARGUMENTS = "function.args";

/**
 * OpenLIT. Its model calls speak GenAI; a function that it decorates has its arguments as Python
 * prints them, and its result under GenAI's name for messages.
 */
export const openLit: Dialect = {
  name: "OpenLIT",
  text: {
    application: ["gen_ai.application_name"],
    environment: ["gen_ai.environment"],
  },
  contentNames: CONTENT_ATTRIBUTES.openLit.names,
  content(attributes, draft) {
    if (!attributes.has(ARGUMENTS)) return;
    draft.compose("inputs", attributes, [
      { member: "args", name: ARGUMENTS, form: "text" },
      { member: "kwargs", name: "function.kwargs", form: "text" },
    ]);
    draft.take("outputs", attributes, "gen_ai.output.messages", "sniff");
  },
};
