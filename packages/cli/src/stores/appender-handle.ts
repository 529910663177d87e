import type { MessagePort, Transferable } from "node:worker_threads";

/** How another thread gets at a store's write side; each store has its own kind. */
export type AppenderHandle = {
  readonly kind: "sqlite";
  /** To the writer's thread. */
  readonly port: MessagePort;
  /** What must be moved, not copied, with the handle. */
  readonly transfer: readonly Transferable[];
};
