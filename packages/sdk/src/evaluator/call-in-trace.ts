import type { SpanRecord } from "@agate/protocol";

export type CallInTrace =
  /** The call's own span with everything below it, and how many spans that are. */
  | { readonly kind: "complete"; readonly tree: SpanRecord; readonly spans: number }
  | { readonly kind: "incomplete"; readonly why: string };

/** Finds a call in its trace. Spans that the trace still lacks make it incomplete. */
export function callIn(trace: SpanRecord, spanId: string): CallInTrace {
  let tree: SpanRecord | undefined;
  const stack = [trace];
  for (let span = stack.pop(); span !== undefined; span = stack.pop()) {
    if (span.id === spanId) tree = span;
    for (const child of span.children ?? []) {
      // A span whose parent is missing hangs below the top span: it may be one of the call's.
      if (child.parent_span_id !== null && child.parent_span_id !== span.id) {
        return incomplete(`the parent of the span "${child.name}" is missing.`);
      }
      stack.push(child);
    }
  }
  if (tree === undefined) return incomplete("the call's own span is missing.");
  return { kind: "complete", tree, spans: countSpans(tree) };
}

export function countSpans(tree: SpanRecord): number {
  let count = 0;
  const stack = [tree];
  for (let span = stack.pop(); span !== undefined; span = stack.pop()) {
    count += 1;
    for (const child of span.children ?? []) stack.push(child);
  }
  return count;
}

function incomplete(why: string): CallInTrace {
  return { kind: "incomplete", why: `it is incomplete: ${why}` };
}
