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
