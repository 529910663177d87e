import { afterAll, beforeAll, describe } from "vitest";
import {
  type ChdbServer,
  startChdbServer,
} from "../../packages/platform/src/stores/testing/chdb-server.fixture.ts";
import type { PostgresDatabases } from "../../packages/platform/src/stores/testing/embedded-postgres.fixture.ts";
import { sharedPostgres } from "../../packages/platform/src/stores/testing/shared-databases.fixture.ts";
import { type Replicas, startReplicas } from "../replicas/replicas.ts";
import { testStoreFaults } from "./store-faults.ts";

let clickhouse: ChdbServer;
let postgres: PostgresDatabases;
let registry: string;
let replicas: Replicas;
beforeAll(async () => {
  [clickhouse, postgres] = await Promise.all([startChdbServer(), sharedPostgres()]);
  registry = (await postgres.createDatabase()).url;
  replicas = await startReplicas(flagsThrough(clickhouse.port));
});
afterAll(async () => {
  await replicas?.[Symbol.asyncDispose]();
  await clickhouse?.dispose();
});

function flagsThrough(port: number): string[] {
  const store = new URL(clickhouse.url("agate"));
  store.port = String(port);
  return ["--store", store.href, "--registry", registry];
}

describe("ClickHouse for spans", () => {
  testStoreFaults(() => ({ replicas, database: clickhouse, flagsThrough }));
});
