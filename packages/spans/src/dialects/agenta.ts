import type { SpanKind } from "@agate/protocol";
import { CONTENT_ATTRIBUTES } from "./content-attributes.ts";
import type { ContentDraft, ContentSide } from "./content-draft.ts";
import type { Dialect } from "./dialect.ts";
import { kindNamed } from "./dialect.ts";
import { unflattened } from "./unflatten.ts";

const KINDS: ReadonlyMap<string, SpanKind> = new Map([
  ["chat", "LLM"],
  ["completion", "LLM"],
  ["query", "RETRIEVER"],
  ["rerank", "RERANKER"],
]);

/** Agenta's SDK: objects flattened into attributes, JSON texts marked as such. */
export const agenta: Dialect = {
  name: "Agenta",
  kind: { name: "ag.type.node", kindOf: (type) => KINDS.get(type) ?? kindNamed(type) },
  text: {
    requestModel: ["ag.meta.request.model", "ag.meta.configuration.model"],
    userId: ["ag.user.id"],
    sessionId: ["ag.session.id"],
    application: ["ag.refs.application.slug", "ag.refs.application.id"],
    environment: ["ag.refs.environment.slug"],
    variantId: ["ag.refs.variant.id"],
    variantName: ["ag.refs.variant.slug"],
  },
  // Its server adds `cumulative` figures, sums of a span and all below it. They are not read: a
  // model call above another one would count the inner call twice.
  numbers: {
    revision: ["ag.refs.variant.version"],
    inputTokens: [
      "ag.metrics.unit.tokens.prompt",
      "ag.metrics.tokens.incremental.prompt",
      "ag.metrics.tokens.prompt",
    ],
    outputTokens: [
      "ag.metrics.unit.tokens.completion",
      "ag.metrics.tokens.incremental.completion",
      "ag.metrics.tokens.completion",
    ],
    totalTokens: [
      "ag.metrics.unit.tokens.total",
      "ag.metrics.tokens.incremental.total",
      "ag.metrics.tokens.total",
    ],
    cachedInputTokens: [
      "ag.metrics.unit.tokens.cache_read",
      "ag.metrics.tokens.incremental.cache_read",
    ],
    cost: [
      "ag.metrics.unit.costs.total",
      "ag.metrics.costs.incremental.total",
      "ag.metrics.costs.total",
    ],
  },
  trees: CONTENT_ATTRIBUTES.agenta.groups,
  content(_attributes, draft) {
    fill(draft, "inputs", "ag.data.inputs");
    fill(draft, "internals", "ag.data.internals");
    fill(draft, "outputs", "ag.data.outputs");
  },
};

function fill(draft: ContentDraft, side: ContentSide, group: string): void {
  const members = draft.indexed.get(group);
  if (members === undefined || draft[side] !== null) return;
  // What is no object is its only member.
  const [only, second] = members;
  const isWhole = second === undefined && only?.path.length === 1 && only.path[0] === "__default__";
  const text = unflattened(isWhole ? [{ path: ["0"], value: only.value }] : members);
  if (text === null) return;
  draft[side] = isWhole ? text.slice(1, -1) : text;
  draft.shownGroups.add(group);
}
