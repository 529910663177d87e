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
  /** The call to a model that `own` figures are of, where the span names it. */
  readonly call?: ReportedCall | undefined;
}

/** A call to a model. Several instrumentations may report the same one. */
export interface ReportedCall {
  /** Provider and response id: the same in all reports of a call within a trace. */
  readonly key: string;
  /** Whether the client sent the cost. A cost that Agate computed counts for less. */
  readonly isCostSent: boolean;
  /**
   * When the span ran, in microseconds, where the id alone does not tell calls apart: then only
   * reports that overlap by more than a millisecond are of one call.
   */
  readonly during?: readonly [start: number, end: number] | undefined;
}
