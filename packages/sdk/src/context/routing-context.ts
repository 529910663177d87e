import { ContextSlot } from "./context-slot.ts";

/** A dictionary of the contract: string to any. */
export type Dictionary = Readonly<Record<string, unknown>>;

/** What a block of code is routed to: contract 4.5. An empty configuration is present, not absent. */
export interface RoutingContext {
  readonly config?: Dictionary | undefined;
  readonly application?: Dictionary | undefined;
  readonly variant?: Dictionary | undefined;
  readonly environment?: Dictionary | undefined;
}

/** The routing information of the block that is running. */
export const routingSlot = new ContextSlot<RoutingContext>("routing");
