import type { SpanKind, SpanStatus } from "@agate/protocol";
import type { SpanNode } from "../span-tree/span-node.ts";

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
  /**
   * The span record as JSON text, open at its end: it stops right after `"total":`, the last field
   * of `metadata`, which in turn is the last field but `children`. See span-tree/record-text.ts.
   */
  readonly openRecord: string;
}
