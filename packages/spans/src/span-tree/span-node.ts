import type { Usage } from "@agate/protocol";

/**
 * Tokens and cost that one span reported.
 *
 * `own`: the span spent them itself (a model call, or figures the developer stored on it).
 * `restated`: a wrapper (an agent, a chain) reported them; they count only where nothing below it
 * reports any, so that no token is counted twice.
 */
export interface ReportedFigures {
  readonly usage: Usage | null;
  readonly cost: number | null;
  readonly role: "own" | "restated";
}

/** What the tree needs to know of a span; everything else stays in its record text. */
export interface SpanNode {
  readonly id: string;
  readonly parentId: string | null;
  /** Microseconds since 1970, no later than the last that a number holds exactly (in 2255). */
  readonly start: number;
  /** 0 to 999: what the start time has below the microsecond. It orders siblings. */
  readonly startNanos: number;
  readonly figures: ReportedFigures | null;
}

/** The nodes of a trace by index. A list is one; a store may keep them more tightly. */
export interface SpanNodes {
  readonly length: number;
  at(index: number): SpanNode | undefined;
}
