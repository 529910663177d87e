import { randomUUID } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ClickHouseClient, ClickHouseClientConfigOptions } from "@clickhouse/client";
import { ClickHouseLogLevel, createClient } from "@clickhouse/client";
import { Session } from "chdb";
import { ChdbConnection } from "chdb/connection";
import type { ClickHouseAddress } from "../store-address.ts";
import { CHDB_ARGUMENTS, chdbFolder } from "./chdb-settings.fixture.ts";

type Connection = Exclude<ClickHouseClientConfigOptions["connection"], undefined>;

/** The ClickHouse engine in this process, which has one at a time. */
export interface ChdbEngine {
  address(options?: { readonly cluster?: string }): ClickHouseAddress;
  connect(): ClickHouseClient;
  dispose(): Promise<void>;
}

/**
 * A cluster of one shard, which is the engine itself. There is no Keeper, so nothing is replicated. Few
 * threads in the background: tests beside this one need the cores as well.
 */
const ONE_SHARD = `<clickhouse>
  <tcp_port>19000</tcp_port>
  <background_pool_size>2</background_pool_size>
  <background_common_pool_size>2</background_common_pool_size>
  <background_schedule_pool_size>2</background_schedule_pool_size>
  <remote_servers><one-shard><shard>
    <replica><host>127.0.0.1</host><port>19000</port></replica>
  </shard></one-shard></remote_servers>
</clickhouse>`;

/** Starts the engine with an empty folder, and a cluster called `one-shard`. */
export function openChdbEngine(): ChdbEngine {
  const folder = chdbFolder();
  const config = join(folder, "config.xml");
  const data = join(folder, "data");
  mkdirSync(data);
  writeFileSync(config, ONE_SHARD);
  const session = new Session(data, {
    connectionArgs: [`--config-file=${config}`, ...CHDB_ARGUMENTS],
  });
  return {
    address: ({ cluster } = {}) => ({
      kind: "clickhouse",
      url: "",
      username: "default",
      password: "",
      database: "agate-test",
      cluster: cluster ?? null,
      shown: "clickhouse://chdb/agate-test",
    }),
    connect: () =>
      createClient({
        // The two packages have copies of their own of the same types.
        connection: new EngineConnection(folder, data) as unknown as Connection,
        log: { level: ClickHouseLogLevel.OFF },
      }),
    dispose: async () => {
      session.close();
      // Its threads may be at work for a moment yet.
      await rm(folder, { recursive: true, maxRetries: 10 });
    },
  };
}

type ExecParams = Parameters<ChdbConnection["exec"]>[0];

/** Rows that come as a stream may be binary: they go to the engine in a file, since chdb takes them for text. */
class EngineConnection extends ChdbConnection {
  readonly #folder: string;

  constructor(folder: string, data: string) {
    super({ path: data });
    this.#folder = folder;
  }

  override async exec({ values, ...params }: ExecParams): ReturnType<ChdbConnection["exec"]> {
    if (values === undefined) return super.exec(params);
    const file = join(this.#folder, `rows-${randomUUID()}`);
    try {
      await writeFile(file, values);
      const query = params.query.replace(/ FORMAT \w+$/, ` FROM INFILE '${file}'$&`);
      return await super.exec({ ...params, query });
    } finally {
      await rm(file, { force: true });
    }
  }
}
