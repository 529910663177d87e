import type { QueryLimits } from "./query-lane.ts";
import type { SpanStore } from "./span-store.ts";
import { openSqliteStore } from "./sqlite/sqlite-store.ts";
import type { StoreAddress } from "./store-address.ts";
import type { StoreTrouble } from "./store-errors.ts";

export interface SpanStoreOptions {
  /** Something in it died of an unexpected error: the store is of no more use. */
  readonly onFailure: (error: Error) => void;
  /** Something needs a person's attention, for the log. */
  readonly onTrouble?: (trouble: StoreTrouble) => void;
  /** What lists and analytics may take. */
  readonly queries?: QueryLimits | undefined;
  /** A trace that holds this many takes no new ones; no limit where nothing is said. */
  readonly maxSpansPerTrace?: number | undefined;
}

/**
 * Opens the store that an address names, and brings its tables up to date. A database's client is
 * loaded only when its address is used.
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
