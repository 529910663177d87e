import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type ChdbServer,
  startChdbServer,
} from "../../packages/platform/src/stores/testing/chdb-server.fixture.ts";
import {
  type PostgresServer,
  startEmbeddedPostgres,
} from "../../packages/platform/src/stores/testing/embedded-postgres.fixture.ts";
import { registerWorkflow } from "../registry/registry-client.ts";
import { type Replicas, startReplicas } from "./replicas.ts";
import { testSpansAsOne } from "./spans-as-one.ts";
import { startWorkflow } from "./workflow.ts";

let clickhouse: ChdbServer;
let postgres: PostgresServer;
let replicas: Replicas;
beforeAll(async () => {
  [clickhouse, postgres] = await Promise.all([startChdbServer(), startEmbeddedPostgres()]);
  const { url } = await postgres.createDatabase();
  replicas = await startReplicas(["--store", clickhouse.url("agate"), "--registry", url]);
});
afterAll(async () => {
  await replicas?.[Symbol.asyncDispose]();
  await clickhouse?.dispose();
  await postgres?.dispose();
});

describe("three servers with spans in ClickHouse and the registry in PostgreSQL", () => {
  testSpansAsOne(() => replicas);

  it("record a call with the configuration that another server has deployed", async () => {
    const [first, second, third] = replicas.servers;
    await using workflow = await startWorkflow("stones", second.url);
    const registry = await registerWorkflow(first.url, "stones", workflow.url);
    await registry.commit({ "/describe": { limit: 9 } }, 0);
    await registry.deploy("production", 1);
    await expect.poll(() => workflow.limit()).toBe(9);
    const found = async () => {
      const response = await fetch(`${third.url}/observability/traces/?application=stones`);
      return ((await response.json()) as { items: unknown[] }).items[0];
    };
    await expect.poll(found).toMatchObject({
      environment: "production",
      variant: { variant_name: "default", revision: 1 },
    });
  });
});
