import type { SpanKind, SpanStatus } from "@agate/protocol";
import type { SpanNode } from "../span-tree/build-tree.ts";
import { buildTree } from "../span-tree/build-tree.ts";
import { AFTER_TOTAL, betweenRecords, closingText, totalText } from "../span-tree/record-text.ts";

/** One span as ingest hands it to a store: the columns that are searched, and the finished record. */
export interface StoredSpan extends SpanNode {
  readonly traceId: string;
  readonly name: string;
  readonly kind: SpanKind;
  readonly status: SpanStatus;
  /** Milliseconds, or null for a span that has not ended. */
  readonly latency: number | null;
  readonly application: string | null;
  /** The route that was called, as declared, on the span of the call. */
  readonly route: string | null;
  /** The variant's name, or its id where it has no name. */
  readonly variant: string | null;
  /** Of the variant; null also where it is no number that a store could keep. */
  readonly revision: number | null;
  readonly environment: string | null;
  readonly userId: string | null;
  readonly sessionId: string | null;
  /** The evaluation run that the span names; one such span makes its whole trace evaluation traffic. */
  readonly run: string | null;
  /**
   * The span record as JSON text, open at its end: it stops right after `"total":`, the last field
   * of `metadata`, which in turn is the last field but `children`. See span-tree/record-text.ts.
   */
  readonly openRecord: string;
}

/**
 * A whole trace as the JSON of its top record, the others nested in it. Takes no recursion, so a
 * chain may be as long as memory allows.
 *
 * @param spans Of one trace, at least one; each id once.
 *
 * @example
 * const toStoredSpan = createSpanMapper({ prices, projectId: null });
 * const json = nestedRecordsText(spans.map(toStoredSpan));
 */
export function nestedRecordsText(spans: readonly StoredSpan[]): string {
  const tree = buildTree(spans);
  let text = "";
  let depth = 0;
  for (const node of tree.preorder) {
    const nextDepth = tree.depth[node]!;
    if (node !== tree.top) text += betweenRecords(depth, nextDepth);
    depth = nextDepth;
    text += spans[node]!.openRecord + totalText(tree.total(node)) + AFTER_TOTAL;
  }
  return text + closingText(depth);
}
