import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Worker } from "node:worker_threads";
import { expect } from "vitest";
import { spawnThread } from "../../threads/spawn-thread.ts";
import { openClickHouseStore } from "../clickhouse/clickhouse-store.ts";
import { openPostgresStore } from "../postgres/postgres-store.ts";
import type { SpanStore } from "../span-store.ts";
import { openSqliteStore } from "../sqlite/sqlite-store.ts";
import { sharedChdb, sharedPostgres } from "../testing/shared-databases.fixture.ts";

/** A database whose traces can be read in a thread. */
export interface TreeStore {
  open(largeTraceSpans: number): Promise<SpanStore>;
  /** Starts the thread that reads its large traces. */
  spawn(): Worker;
  dispose(): Promise<void>;
}

const onFailure = (error: Error) => expect.fail(String(error));
const urlOf = (store: string) => new URL(`../${store}/${store}-store.ts`, import.meta.url).href;

/** One of each kind. */
export const TREE_STORES: readonly (readonly [name: string, start: () => Promise<TreeStore>])[] = [
  ["SQLite", startSqlite],
  ["PostgreSQL", startPostgres],
  ["ClickHouse", startClickHouse],
];

async function startSqlite(): Promise<TreeStore> {
  const directory = await mkdtemp(join(tmpdir(), "agate-tree-store-"));
  return {
    open: (largeTraceSpans) => openSqliteStore({ directory, largeTraceSpans, onFailure }),
    spawn: () => spawnThread(urlOf("sqlite"), "sqlite-tree-worker", directory),
    dispose: () => rm(directory, { recursive: true }),
  };
}

async function startPostgres(): Promise<TreeStore> {
  const server = await sharedPostgres();
  const address = await server.createDatabase();
  return {
    open: (largeTraceSpans) => openPostgresStore({ address, largeTraceSpans, onFailure }),
    spawn: () => spawnThread(urlOf("postgres"), "postgres-tree-worker", address),
    dispose: async () => {},
  };
}

async function startClickHouse(): Promise<TreeStore> {
  const server = await sharedChdb();
  const address = server.address(`trees_${randomBytes(6).toString("hex")}`);
  return {
    open: (largeTraceSpans) => openClickHouseStore({ address, largeTraceSpans, onFailure }),
    spawn: () => spawnThread(urlOf("clickhouse"), "clickhouse-tree-worker", address),
    dispose: async () => {},
  };
}
