import type { ResolvedConfig } from "@agate/protocol";
import type { ConfigSource } from "../config-source/config-source.ts";
import { ContextSlot } from "../context/context-slot.ts";

/** The call that is running. */
export interface CurrentCall {
  /** The path of the route that was called. */
  readonly route: string;
  /** The configurations of all routes in the call's revision; null where there is no revision. */
  readonly params: ResolvedConfig["params"] | null;
  /** Of the app whose route it is. */
  readonly configSource: ConfigSource;
  /** What was in the routing context when the call began: another one there is a block's inside the call. */
  readonly config: object | undefined;
}

export const callSlot = new ContextSlot<CurrentCall>("call");
