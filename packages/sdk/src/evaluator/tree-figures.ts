import type { SpanKind, SpanRecord } from "@agate/protocol";

/** Spans in which money is spent. */
const PAID: ReadonlySet<SpanKind> = new Set(["LLM", "EMBEDDING", "RERANKER"]);

/**
 * What the model calls of a tree cost together, in US dollars; null where that of one is unknown: its
 * model has no price, or no tokens were recorded. Without a model call it is 0.
 */
export function treeCost(top: SpanRecord): number | null {
  const stack: { readonly span: SpanRecord; readonly isPriced: boolean }[] = [
    { span: top, isPriced: false },
  ];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { span } = next;
    const { cost, total } = span.metadata;
    // Two instrumentations record one call as two spans, of which one may have the price.
    const isPriced = next.isPriced || (PAID.has(span.spankind) && cost !== null);
    if (PAID.has(span.spankind) && !isPriced && total.cost === null && !isRefused(span))
      return null;
    for (const child of span.children ?? []) stack.push({ span: child, isPriced });
  }
  return top.metadata.total.cost ?? 0;
}

/** A model that answers with an error bills nothing. */
function isRefused({ status, metadata: { usage } }: SpanRecord): boolean {
  return status === "ERROR" && usage === null;
}
