import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { PostgresAddress } from "../../packages/platform/src/stores/store-address.ts";
import type { PostgresServer } from "../../packages/platform/src/stores/testing/embedded-postgres.fixture.ts";
import { startPostgres } from "../../packages/platform/src/stores/testing/shared-databases.fixture.ts";
import { type RegistryClient, registerWorkflow } from "../registry/registry-client.ts";
import { type Replicas, startReplicas } from "../replicas/replicas.ts";
import { star } from "../replicas/star.ts";
import { startWorkflow, type Workflow } from "../replicas/workflow.ts";
import { expectRefusal, runAgate } from "../run-agate.ts";
import { startServer } from "../running-server.ts";
import { otlpJson, sendSpans } from "../sent-span.ts";
import { startDatabaseLink } from "./database-link.ts";
import { testStoreFaults } from "./store-faults.ts";

let postgres: PostgresServer;
let database: URL;
let replicas: Replicas;
let workflow: Workflow;
let registry: RegistryClient;
beforeAll(async () => {
  postgres = await startPostgres();
  database = new URL((await postgres.createDatabase()).url);
  replicas = await startReplicas(flags(database));
  const [first, second] = replicas.servers;
  workflow = await startWorkflow("stones", second.url);
  registry = await registerWorkflow(first.url, "stones", workflow.url);
  await registry.commit({ "/describe": { limit: 5 } }, 0);
  await registry.deploy("production", 1);
  await registry.deploy("staging", 1);
  expect(await workflow.limit()).toBe(5);
});
afterAll(async () => {
  await workflow?.[Symbol.asyncDispose]();
  await replicas?.[Symbol.asyncDispose]();
  await postgres?.dispose();
});

function flags({ href }: URL): string[] {
  return ["--store", href, "--registry", href];
}

function flagsThrough(port: number): string[] {
  const through = new URL(database);
  through.port = String(port);
  return flags(through);
}

describe("PostgreSQL for everything", () => {
  testStoreFaults(
    () => ({ replicas, database: postgres, flagsThrough }),
    async () => {
      // What has its configuration goes on; what has none yet cannot.
      expect(await workflow.limit()).toBe(5);
      expect(await workflow.call("staging")).toMatchObject({
        status: 503,
        body: { detail: [{ type: "config_unavailable" }] },
      });
      for (const { url } of replicas.servers) {
        const response = await fetch(`${url}/registry/applications/stones`);
        expect(response.status).toBe(503);
        expect(response.headers.get("retry-after")).toMatch(/^[1-9][0-9]?$/);
        expect(await response.json()).toMatchObject({ detail: [{ type: "store_unavailable" }] });
      }
      const refused = await runAgate(["server", "--port", "0", ...flags(database)]);
      expectRefusal(refused, 1, "cannot be reached");
      expect(refused.stderr).not.toContain(database.password);
    },
  );

  it("workflows hear of a deployment on another server as before", async () => {
    await registry.commit({ "/describe": { limit: 7 } }, 1);
    await registry.deploy("production", 2);
    await expect.poll(() => workflow.limit()).toBe(7);
  });

  it("the database falls silent: a server that is stopped ends in order all the same", async () => {
    await using link = await startDatabaseLink(postgres.port);
    await using server = await startServer({ flags: flagsThrough(link.port) });
    expect(await statusOf(`${server.url}/observability/traces/`)).toBe(200);
    expect(await statusOf(`${server.url}/registry/applications`)).toBe(200);
    expect(await sendSpans(server.url, star(2))).toBe(200);
    link.fallSilent();
    const stopped = await server.stop();
    expect(stopped, server.log()).toBe(0);
    expect(server.log()).not.toContain("broken off");
  });

  it("the database falls silent: requests fail with 503 long before the statement timeout", async () => {
    await using server = await startServer({ flags: flags(database) });
    const ask = (path: string, init?: RequestInit) =>
      statusOf(`${server.url}${path}`, { ...init, signal: AbortSignal.timeout(20_000) });
    const spans = {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: otlpJson(star(2)),
    };
    const all = () =>
      Promise.all([
        ask("/observability/traces/"),
        ask("/registry/applications"),
        ask("/v1/traces", spans),
      ]);
    expect(await all()).toEqual([200, 200, 200]);
    {
      using _silence = await postgres.fallSilent();
      expect(await all()).toEqual([503, 503, 503]);
      await expect.poll(() => ask("/health/ready"), { timeout: 30_000 }).toBe(503);
      expect(await ask("/health/live")).toBe(200);
    }
    await expect.poll(all).toEqual([200, 200, 200]);
    await expect.poll(() => ask("/health/ready")).toBe(200);
    expect(await server.stop(), server.log()).toBe(0);
  });

  it("no connections are left: requests fail with 503 until there are", async () => {
    const admin = postgres.address("postgres");
    await postgres.query(admin, "CREATE ROLE frugal LOGIN PASSWORD 'frugal'");
    await postgres.query(admin, "CREATE DATABASE frugal OWNER frugal");
    const url = new URL(postgres.address("frugal").url);
    url.username = "frugal";
    url.password = "frugal";
    await using server = await startServer({ flags: flags(url) });
    const list = () => statusOf(`${server.url}/observability/traces/`);
    const applications = () => statusOf(`${server.url}/registry/applications`);
    const ingest = () => sendSpans(server.url, star(2));
    const all = async () => [await list(), await applications(), await ingest()];
    expect(await all()).toEqual([200, 200, 200]);

    // The database gives none.
    await postgres.query(admin, "ALTER ROLE frugal CONNECTION LIMIT 0");
    await postgres.query(
      admin,
      "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE usename = 'frugal'",
    );
    expect(await all()).toEqual([503, 503, 503]);
    expect(await all()).toEqual([503, 503, 503]);
    await postgres.query(admin, "ALTER ROLE frugal CONNECTION LIMIT -1");
    await expect.poll(all).toEqual([200, 200, 200]);

    // Those that the server may have are all in use, and as many lists wait as may (64).
    await using lock = await lockTables(postgres.address("frugal"));
    const statuses: number[] = [];
    const asking = Promise.all(
      Array.from({ length: 80 }, async () => void statuses.push(await list())),
    );
    await expect.poll(() => statuses).toContain(503);
    expect(await statusOf(`${server.url}/health`)).toBe(200);
    await lock[Symbol.asyncDispose]();
    await asking;
    expect(await all()).toEqual([200, 200, 200]);
  });
});

async function statusOf(url: string, init?: RequestInit): Promise<number> {
  const response = await fetch(url, init);
  await response.body?.cancel();
  return response.status;
}

/** Locks all tables of Agate against reads and writes, until it is disposed of. */
async function lockTables(address: PostgresAddress): Promise<AsyncDisposable> {
  const tables = await postgres.query<{ name: string }>(
    address,
    "SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname = 'agate'",
  );
  const names = tables.map(({ name }) => name).join(", ");
  const holding = `/* holding */ BEGIN; LOCK TABLE ${names}; SELECT pg_sleep(600)`;
  const hold = async () => {
    // The server's own work may have locked some of them in another order: PostgreSQL ends a deadlock.
    for (let tries = 0; tries < 10; tries++) {
      const ended = await postgres.query(address, holding).catch((error: Error) => error);
      if (!(ended instanceof Error) || !ended.message.includes("deadlock")) return;
    }
  };
  const held = hold();
  const holder =
    "FROM pg_stat_activity WHERE query LIKE '/* holding */%' AND wait_event = 'PgSleep'";
  await expect.poll(() => postgres.query(address, `SELECT pid ${holder}`)).toHaveLength(1);
  return {
    async [Symbol.asyncDispose]() {
      await postgres.query(address, `SELECT pg_terminate_backend(pid) ${holder}`);
      await held;
    },
  };
}
