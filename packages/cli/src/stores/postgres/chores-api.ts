import type { ClosableApi } from "../sqlite/store-thread.ts";
import type { PostgresAddress } from "../store-address.ts";

/** What the thread for chores offers. */
export interface ChoresApi extends ClosableApi {
  /** Begins; from then on it looks for work by itself. */
  start(): Promise<void>;
  /** There is something to free. */
  wake(): Promise<void>;
  /** Resolves when everything that was committed before can be found by its words. */
  catchUp(): Promise<void>;
  close(): Promise<void>;
}

export interface ChoresData {
  readonly address: PostgresAddress;
}
