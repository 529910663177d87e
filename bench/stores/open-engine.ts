import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { ClickHouseAddress } from "../../packages/platform/src/stores/store-address.ts";
import { parseStoreAddress } from "../../packages/platform/src/stores/store-address.ts";
import { startChdbServer } from "../../packages/platform/src/stores/testing/chdb-server.fixture.ts";
import { startEmbeddedPostgres } from "../../packages/platform/src/stores/testing/embedded-postgres.fixture.ts";
import { temporaryFolder } from "../server-process.ts";
import type { Engine, EngineName } from "./engine.ts";

/** Starts an engine with nothing in it. It and its data are gone afterwards. */
export function openEngine(name: EngineName): Promise<Engine> {
  switch (name) {
    case "sqlite":
      return openSqlite();
    case "postgres":
      return openPostgres();
    case "clickhouse":
      return openClickHouse();
  }
}

async function openSqlite(): Promise<Engine> {
  const folder = await temporaryFolder();
  return {
    description: "SQLite, in the server's own process",
    place: { address: { kind: "sqlite", directory: folder.path } },
    pid: null,
    bytes: async () => {
      const files = (await readdir(folder.path)).filter((file) =>
        /^(?:spans|index)\.db/.test(file),
      );
      const sizes = files.map(async (file) => (await stat(join(folder.path, file))).size);
      return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    },
    logBytes: async () => null,
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

/** With PostgreSQL's own defaults: every commit reaches the disk. */
async function openPostgres(): Promise<Engine> {
  const server = await startEmbeddedPostgres({
    durable: true,
    settings: { shared_buffers: "128MB" },
  });
  const address = await server.createDatabase();
  const one = async (sql: string) => {
    const [row] = await server.query<{ value: string }>(address, sql);
    return (row as { value: string }).value;
  };
  const pidFile = await one("SELECT pg_read_file('postmaster.pid') AS value");
  const version = await one("SELECT current_setting('server_version') AS value");
  return {
    description: `PostgreSQL ${version} on the same machine, with its defaults`,
    place: { address, url: address.url },
    pid: Number.parseInt(pidFile, 10),
    bytes: async () =>
      Number(
        await one(
          `SELECT sum(pg_total_relation_size(c.oid)) AS value
             FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname = 'agate' AND c.relkind IN ('r', 'm')`,
        ),
      ),
    logBytes: async () => Number(await one("SELECT pg_current_wal_lsn() - '0/0' AS value")),
    [Symbol.asyncDispose]: () => server.dispose(),
  };
}

/**
 * ClickHouse's engine as chdb embeds it, behind its HTTP interface in a process of its own; or a real
 * server, with a database that is left behind: AGATE_BENCH_CLICKHOUSE_URL=clickhouse://…
 */
async function openClickHouse(): Promise<Engine> {
  const { AGATE_BENCH_CLICKHOUSE_URL: url } = process.env;
  if (url !== undefined) {
    const parsed = parseStoreAddress(url);
    if (parsed.kind === "invalid" || parsed.address.kind !== "clickhouse") {
      throw new Error(
        "AGATE_BENCH_CLICKHOUSE_URL must be clickhouse://user:password@host/database",
      );
    }
    const { address } = parsed;
    const version = await askClickHouse(address, "SELECT version()");
    return {
      description: `ClickHouse ${version}`,
      place: { address, url },
      pid: null,
      bytes: () => clickHouseBytes(address),
      logBytes: async () => null,
      [Symbol.asyncDispose]: async () => {},
    };
  }
  const server = await startChdbServer();
  const address = server.address("bench");
  const version = await askClickHouse(server.address("default"), "SELECT version()");
  return {
    description: `ClickHouse ${version} (chdb) on the same machine, four statements at a time`,
    place: { address, url: server.url("bench") },
    pid: server.pid,
    bytes: () => clickHouseBytes(address),
    logBytes: async () => null,
    [Symbol.asyncDispose]: () => server.dispose(),
  };
}

async function clickHouseBytes(address: ClickHouseAddress): Promise<number> {
  const parts = "SELECT sum(bytes_on_disk) FROM system.parts";
  return Number(
    await askClickHouse(address, `${parts} WHERE active AND database = currentDatabase()`),
  );
}

async function askClickHouse(address: ClickHouseAddress, sql: string): Promise<string> {
  const { url, username, password, database } = address;
  const credentials = Buffer.from(`${username}:${password}`).toString("base64");
  const answer = await fetch(`${url}/?database=${database}`, {
    method: "POST",
    headers: { authorization: `Basic ${credentials}` },
    body: sql,
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return text.trim();
}
