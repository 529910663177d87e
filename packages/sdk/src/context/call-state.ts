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

/** How the running call can be ended from outside. */
export interface Cancellation {
  /** The call's signal, which is only made when it is asked for. */
  readonly signal: AbortSignal;
  /** True once the client has gone or the caller has aborted the call; not after a timeout. */
  readonly isCancelled: boolean;
}

/** The cancellation of the call that is running. */
export const cancellationSlot = new ContextSlot<Cancellation>("cancellation");
