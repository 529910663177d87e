import type { MessagePort, Transferable } from "node:worker_threads";
import type { ClickHouseAddress, PostgresAddress } from "./store-address.ts";

/** How another thread gets at a store's write side; each store has its own kind. */
export type AppenderHandle = {
  /** What must be moved, not copied, with the handle. */
  readonly transfer: readonly Transferable[];
} & (
  | {
      readonly kind: "sqlite";
      /** To the writer's thread. */
      readonly port: MessagePort;
    }
  | {
      readonly kind: "postgres";
      readonly address: PostgresAddress;
      readonly maxSpansPerTrace: number;
    }
  | {
      readonly kind: "clickhouse";
      readonly address: ClickHouseAddress;
      readonly maxSpansPerTrace: number;
    }
);
