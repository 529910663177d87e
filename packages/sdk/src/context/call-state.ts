import { ContextSlot } from "./context-slot.ts";

/** Which application, variant, revision and environment a call belongs to: on every span of it. */
export interface Identity {
  readonly application: string | null;
  readonly variantId: string | null;
  readonly variantName: string | null;
  readonly revision: number | null;
  readonly environment: string | null;
}

/** The identity of the call that is running. */
export const identitySlot = new ContextSlot<Identity>("identity");

/** The item of an evaluation run that code runs for: on every span of it. */
export interface EvaluationItem {
  /** The run's id. */
  readonly run: string;
  /** The id of the case in its test set. */
  readonly case?: string | undefined;
  /** The run's column, such as `default@9`. */
  readonly column?: string | undefined;
  /** From 0, as handlers are given it; the attribute counts from 1. */
  readonly trial?: number | undefined;
}

/**
 * The item of an evaluation run that the running code belongs to. Every span that is started inside names it, the
 * call's own too, so the platform leaves the trace out of live traffic.
 *
 * Only an evaluator may fill it, on its private socket. It is never read from a request to a public route: a caller
 * could hide calls from the dashboard and from limits. Another service that is called continues the trace by its
 * `traceparent`, and so belongs to the run without a header of its own.
 *
 * @example
 * const answer = await evaluationSlot.run({ run, case: row.id, column, trial: 0 }, () => app.handle(incoming));
 */
export const evaluationSlot = new ContextSlot<EvaluationItem>("evaluation");

/** How the running call can be ended from outside. */
export interface Cancellation {
  /** The call's signal, which is only made when it is asked for. */
  readonly signal: AbortSignal;
  /** True once the client has gone or the caller has aborted the call; not after a timeout. */
  readonly isCancelled: boolean;
}

/** The cancellation of the call that is running. */
export const cancellationSlot = new ContextSlot<Cancellation>("cancellation");
