import type { MessagePort } from "node:worker_threads";
import type { PostgresAddress } from "../store-address.ts";
import type { ClosableApi } from "../store-thread.ts";
import type { CompactionRule } from "./compact-segments.ts";

/** What the thread for chores offers. */
export interface ChoresApi extends ClosableApi {
  /** Begins; from then on it looks for work by itself. */
  start(): Promise<void>;
  /** There is something to free. */
  wake(): Promise<void>;
  /** Resolves when everything that was committed before can be found by its words. */
  catchUp(): Promise<CaughtUp>;
  close(): Promise<void>;
}

/** A value, since errors lose what they are on their way between threads. */
export type CaughtUp =
  | { readonly kind: "caught-up" }
  | { readonly kind: "unavailable"; readonly reason: string };

export interface ChoresData {
  readonly address: PostgresAddress;
  /** Where a `StoreTrouble` is told. */
  readonly troubles: MessagePort;
  readonly compaction: CompactionRule;
}
