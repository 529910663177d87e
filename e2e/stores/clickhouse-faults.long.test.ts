import { afterAll, beforeAll, describe } from "vitest";
import {
  type ChdbServer,
  startChdbServer,
} from "../../packages/platform/src/stores/testing/chdb-server.fixture.ts";
import {
  type PostgresServer,
  startEmbeddedPostgres,
} from "../../packages/platform/src/stores/testing/embedded-postgres.fixture.ts";
import { type Replicas, startReplicas } from "../replicas/replicas.ts";
import { testStoreFaults } from "./store-faults.ts";

let clickhouse: ChdbServer;
let postgres: PostgresServer;
let registry: string;
let replicas: Replicas;
beforeAll(async () => {
  [clickhouse, postgres] = await Promise.all([startChdbServer(), startEmbeddedPostgres()]);
  registry = (await postgres.createDatabase()).url;
  replicas = await startReplicas(flagsThrough(clickhouse.port));
});
afterAll(async () => {
  await replicas?.[Symbol.asyncDispose]();
  await clickhouse?.dispose();
  await postgres?.dispose();
});

function flagsThrough(port: number): string[] {
  const store = new URL(clickhouse.url("agate"));
  store.port = String(port);
  return ["--store", store.href, "--registry", registry];
}

describe("ClickHouse for spans", () => {
  testStoreFaults(() => ({ replicas, database: clickhouse, flagsThrough }));
});
