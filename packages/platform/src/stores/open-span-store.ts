import type { QueryLimits } from "./query-lane.ts";
import type { SpanStore } from "./span-store.ts";
import { openSqliteStore } from "./sqlite/sqlite-store.ts";
import type { StoreAddress } from "./store-address.ts";
import type { StoreTrouble } from "./store-errors.ts";

export interface SpanStoreOptions {
  /** A component died of an unexpected error: the store cannot be used any more. */
  readonly onFailure: (error: Error) => void;
  /** A problem for the log that needs attention. */
  readonly onTrouble?: (trouble: StoreTrouble) => void;
  /** The limits of lists and analytics. */
  readonly queries?: QueryLimits | undefined;
  /** A trace that holds this many takes no new ones; unlimited by default. */
  readonly maxSpansPerTrace?: number | undefined;
}

/**
 * Opens the store at an address, and migrates its tables. A database's client is loaded only when its
 * address is used.
 *
 * @throws StoreRefusalError with one sentence when it cannot be used as it is.
 */
export async function openSpanStore(
  address: StoreAddress,
  options: SpanStoreOptions,
): Promise<SpanStore> {
  switch (address.kind) {
    case "sqlite":
      return openSqliteStore({ ...options, directory: address.directory });
    case "postgres": {
      const { openPostgresStore } = await import("./postgres/postgres-store.ts");
      return openPostgresStore({ ...options, address });
    }
    case "clickhouse": {
      const { openClickHouseStore } = await import("./clickhouse/clickhouse-store.ts");
      return openClickHouseStore({ ...options, address });
    }
  }
}
