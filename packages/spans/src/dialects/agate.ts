import { AGATE_ATTRIBUTES as AG } from "@agate/protocol";
import { CONTENT_ATTRIBUTES } from "./content-attributes.ts";
import type { Dialect } from "./dialect.ts";
import { kindNamed } from "./dialect.ts";
import { embeddedObject } from "./json-text.ts";

/** What Agate's own SDK writes. */
export const agate: Dialect = {
  name: "Agate",
  kind: { name: AG.spanKind, kindOf: kindNamed },
  text: {
    userId: [AG.userId],
    sessionId: [AG.sessionId],
    application: [AG.application],
    environment: [AG.environment],
    variantId: [AG.variantId],
    variantName: [AG.variantName],
  },
  numbers: {
    revision: [AG.revision],
    inputTokens: [AG.inputTokens],
    outputTokens: [AG.outputTokens],
    totalTokens: [AG.totalTokens],
    cachedInputTokens: [AG.cachedInputTokens],
    reasoningTokens: [AG.reasoningTokens],
    cost: [AG.cost],
  },
  contentNames: CONTENT_ATTRIBUTES.agate.names,
  content(attributes, draft) {
    draft.take("inputs", attributes, AG.inputs, "json");
    draft.take("internals", attributes, AG.internals, "json");
    draft.take("outputs", attributes, AG.outputs, "json");
    const config = attributes.get(AG.config);
    // Only an object can be a configuration; anything else stays among the attributes.
    draft.config = config === undefined ? null : embeddedObject(config);
    if (draft.config !== null) draft.shown.add(AG.config);
  },
};
