import { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import type { ClickHouseClient, ClickHouseSettings } from "@clickhouse/client";
import { ClickHouseLogLevel, createClient } from "@clickhouse/client";
import type { ClickHouseAddress } from "../store-address.ts";
import { asUnavailable } from "../store-errors.ts";
import { isConnectionReset, transientReason } from "./clickhouse-errors.ts";
import { quoted } from "./clickhouse-schema.ts";
import type { NativeColumn } from "./native-block.ts";
import { nativeBlock } from "./native-block.ts";

const CONNECTIONS = 16;
const REQUEST_TIMEOUT_MS = 30_000;
/** Less than the server's own, so that a connection is not used while the server closes it. */
const IDLE_SOCKET_MS = 2_500;

/** Values of `{name:Type}` in a statement. */
export type Parameters = Readonly<Record<string, unknown>>;

const READING: ClickHouseSettings = {
  output_format_json_quote_64bit_integers: 0,
  // A query whose client has disconnected is cancelled.
  cancel_http_readonly_queries_on_client_close: 1,
};

/** For queries of a few rows by the key: starting threads for them would take longer than reading them. */
export const POINT_READ: ClickHouseSettings = { max_threads: 1 };

/** Rows that the engine reads at a time for a page. Smaller blocks make filters that few rows meet slower. */
const BLOCK_ROWS = 8_192;
/**
 * For the first rows in the order of a key. ClickHouse would fill a buffer from every part before it merges them, and
 * read tens of thousands of rows a part where a page needs a few.
 */
export const PAGE_READ: ClickHouseSettings = {
  read_in_order_use_buffering: 0,
  max_block_size: `${BLOCK_ROWS}`,
};

/** For queries over all rows: ClickHouse sends progress headers, so that the client does not time out. */
export const LONG_QUERY_SETTINGS: ClickHouseSettings = {
  send_progress_in_http_headers: 1,
  http_headers_progress_interval_ms: "5000",
};

/** ClickHouse acknowledges rows once they are stored, and accepts a batch again after it was deleted. */
const WRITING: ClickHouseSettings = {
  async_insert: 0,
  insert_deduplicate: 0,
  max_partitions_per_insert_block: "0",
  // The fast float parser is off by one bit for some numbers.
  precise_float_parsing: 1,
};

/**
 * Subqueries stay on their shard, where a trace has all of its rows. Reads and writes go to the first
 * available replica of the shard: another replica may not have the latest rows yet.
 */
const ON_CLUSTER: ClickHouseSettings = {
  distributed_product_mode: "local",
  load_balancing: "in_order",
  prefer_localhost_replica: 0,
  optimize_skip_unused_shards: 1,
  distributed_foreground_insert: 1,
};

/** When a query is cancelled. */
export interface QueryEnd {
  readonly signal: AbortSignal;
  /** Without one the client's own timeout applies. */
  readonly timeoutMs?: number;
}

/** Creates the default client. */
export function connectClickHouse(address: ClickHouseAddress): ClickHouseClient {
  return createClient({
    url: address.url,
    username: address.username,
    password: address.password,
    application: "agate",
    max_open_connections: CONNECTIONS,
    request_timeout: REQUEST_TIMEOUT_MS,
    keep_alive: { enabled: true, idle_socket_ttl: IDLE_SOCKET_MS },
    // Long lists of ids do not fit into a URL.
    use_multipart_params_auto: true,
    log: { level: ClickHouseLogLevel.OFF },
  });
}

/** Statements against one database. A transient error becomes a `StoreUnavailableError`. */
export class ClickHouseSession {
  readonly #client: ClickHouseClient;
  readonly #settings: ClickHouseSettings;
  readonly #end: QueryEnd | undefined;
  readonly address: ClickHouseAddress;

  constructor(client: ClickHouseClient, address: ClickHouseAddress, end?: QueryEnd) {
    this.#client = client;
    this.#end = end;
    this.address = address;
    this.#settings = {
      ...(address.cluster === null ? {} : ON_CLUSTER),
      ...(end?.timeoutMs !== undefined && {
        max_execution_time: Math.ceil(end.timeoutMs / 1000),
      }),
    };
  }

  /**
   * The same connections, for queries that are cancelled, in the database too, when their client
   * disconnects.
   */
  until(end: QueryEnd): ClickHouseSession {
    return new ClickHouseSession(this.#client, this.address, end);
  }

  /** A table as statements name it. */
  table(name: string): string {
    return `${quoted(this.address.database)}.${quoted(name)}`;
  }

  /** @returns Rows as arrays, in the order of the columns. */
  rows<Row>(
    query: string,
    parameters: Parameters = {},
    settings: ClickHouseSettings = {},
  ): Promise<Row[]> {
    const signal = this.#end?.signal;
    return available(async () => {
      signal?.throwIfAborted();
      const result = await this.#client.query({
        query,
        query_params: parameters,
        format: "JSONCompactEachRow",
        clickhouse_settings: { ...READING, ...this.#settings, ...settings },
        ...(signal && { abort_signal: signal }),
      });
      return result.json<Row>();
    }).catch((error) => {
      // The client's error would not distinguish an abort from a failure.
      throw signal?.aborted ? signal.reason : error;
    });
  }

  /** Resolves when the rows are stored. */
  async insert(
    table: string,
    columns: readonly [string, ...string[]],
    values: readonly (readonly unknown[])[],
  ): Promise<void> {
    if (values.length === 0) return;
    await available(() =>
      this.#client.insert({
        table: this.table(table),
        columns: [...columns],
        values,
        format: "JSONCompactEachRow",
        clickhouse_settings: { ...WRITING, ...this.#settings },
      }),
    );
  }

  /** Like {@link insert}, in ClickHouse's own format: for many rows, no two of which have the same key. */
  async insertBlock<Row>(
    table: string,
    columns: readonly NativeColumn<Row>[],
    rows: readonly Row[],
  ): Promise<void> {
    if (rows.length === 0) return;
    const names = columns.map(({ name }) => name).join(", ");
    const block = nativeBlock(columns, rows);
    await available(async () => {
      const { stream } = await this.#client.exec({
        query: `INSERT INTO ${this.table(table)} (${names}) FORMAT Native`,
        values: Readable.from(block, { objectMode: false }),
        clickhouse_settings: {
          ...WRITING,
          // There are no rows among them that would replace each other.
          optimize_on_insert: 0,
          // Texts for columns of low cardinality are converted.
          input_format_native_allow_types_conversion: 1,
          ...this.#settings,
        },
      });
      // The connection is free again when the answer, which is empty, was read.
      await finished(stream.resume());
    });
  }

  /** A statement without a result. */
  async command(
    query: string,
    parameters: Parameters = {},
    settings: ClickHouseSettings = {},
  ): Promise<void> {
    await available(() =>
      this.#client.command({
        query,
        query_params: parameters,
        clickhouse_settings: { ...this.#settings, ...settings },
      }),
    );
  }

  close(): Promise<void> {
    return this.#client.close();
  }
}

/**
 * Runs a statement, and runs it again after a lost connection: the server may just have closed an idle one.
 * Writes are idempotent.
 */
async function available<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run().catch((error) => {
      if (!isConnectionReset(error)) throw error;
      return run();
    });
  } catch (error) {
    throw asUnavailable(error, transientReason(error));
  }
}
