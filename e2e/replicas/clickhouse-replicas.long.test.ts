import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  sharedChdb,
  sharedPostgres,
} from "../../packages/platform/src/stores/testing/shared-databases.fixture.ts";
import { registerWorkflow } from "../registry/registry-client.ts";
import { type Replicas, startReplicas } from "./replicas.ts";
import { testSpansAsOne } from "./spans-as-one.ts";
import { startWorkflow } from "./workflow.ts";

let replicas: Replicas;
beforeAll(async () => {
  const [clickhouse, postgres] = await Promise.all([sharedChdb(), sharedPostgres()]);
  const { url } = await postgres.createDatabase();
  replicas = await startReplicas(["--store", clickhouse.url("agate_replicas"), "--registry", url]);
});
afterAll(() => replicas?.[Symbol.asyncDispose]());

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
