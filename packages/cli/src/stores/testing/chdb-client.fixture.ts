import type { ClickHouseClient, ClickHouseClientConfigOptions } from "@clickhouse/client";
import { ClickHouseLogLevel, createClient } from "@clickhouse/client";
import { createChdbConnection } from "chdb/connection";

type Connection = Exclude<ClickHouseClientConfigOptions["connection"], undefined>;

/** A client of the ClickHouse engine in this process, which has one data directory at a time. */
export function createChdbClient(path: string): ClickHouseClient {
  return createClient({
    // The two packages have copies of their own of the same types.
    connection: createChdbConnection({ path }) as unknown as Connection,
    log: { level: ClickHouseLogLevel.OFF },
  });
}
