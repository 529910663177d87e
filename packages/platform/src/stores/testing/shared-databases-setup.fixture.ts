import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { TestProject } from "vitest/node";
import { startChdbServer } from "./chdb-server.fixture.ts";
import { initialisePostgres, startEmbeddedPostgres } from "./embedded-postgres.fixture.ts";
import { startOnDemand } from "./on-demand.fixture.ts";
import type { SharedDatabases } from "./shared-databases.fixture.ts";

/** For many test files at once, each with servers that have pools. Nothing lives for long enough to be vacuumed. */
const SHARED_SETTINGS = { max_connections: "400", autovacuum: "off" };

/** Vitest calls it once, before the first test: one PostgreSQL and one ClickHouse for all test files. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  /** An empty database cluster: `initdb` takes longer than a start. */
  let data: Promise<string> | undefined;
  const emptyData = () => {
    data ??= initialisePostgres();
    return data;
  };
  const shared = await startOnDemand<SharedDatabases>({
    chdb: async () => {
      const server = await startChdbServer();
      return { address: server.port, end: () => server.dispose() };
    },
    postgres: async () => {
      const server = await startEmbeddedPostgres({
        settings: SHARED_SETTINGS,
        data: await emptyData(),
      });
      return { address: server.port, end: () => server.dispose() };
    },
    postgresData: async () => ({ address: await emptyData(), end: async () => {} }),
  });
  project.provide("databases", shared.urls);
  return async () => {
    await shared.end();
    if (data !== undefined) await rm(dirname(await data), { recursive: true, force: true });
  };
}
