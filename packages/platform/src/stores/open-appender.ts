import type { AppenderHandle, OpenAppender } from "./span-store.ts";
import { createSqliteAppender } from "./sqlite/sqlite-appender.ts";
import type { StoreTrouble } from "./store-errors.ts";

/**
 * Opens the write side of a store in the calling thread. A database's client is loaded only there.
 *
 * @param onTrouble Told of spans that were stored, but could not be processed in full.
 */
export async function openAppender(
  handle: AppenderHandle,
  onTrouble: (trouble: StoreTrouble) => void,
): Promise<OpenAppender> {
  switch (handle.kind) {
    case "sqlite": {
      const appender = createSqliteAppender(handle.port);
      return { ...appender, close: async () => handle.port.close() };
    }
    case "postgres": {
      const { openPostgresAppender } = await import("./postgres/postgres-appender.ts");
      return openPostgresAppender(handle.address, handle.maxSpansPerTrace);
    }
    case "clickhouse": {
      const { openClickHouseAppender } = await import("./clickhouse/clickhouse-store.ts");
      return openClickHouseAppender(handle.address, handle.maxSpansPerTrace, onTrouble);
    }
  }
}
