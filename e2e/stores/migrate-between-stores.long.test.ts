import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { PostgresAddress } from "../../packages/platform/src/stores/store-address.ts";
import type { ChdbServer } from "../../packages/platform/src/stores/testing/chdb-server.fixture.ts";
import { startChdbServer } from "../../packages/platform/src/stores/testing/chdb-server.fixture.ts";
import type { PostgresServer } from "../../packages/platform/src/stores/testing/embedded-postgres.fixture.ts";
import { startPostgres } from "../../packages/platform/src/stores/testing/shared-databases.fixture.ts";
import { startServer } from "../running-server.ts";
import { startDatabaseLink } from "./database-link.ts";
import { answersOf, migrate, SPANS_PER_TRACE, sendTraces } from "./migrating.ts";

const TRACES = 100;
const ALL = { traces: TRACES, spans: TRACES * SPANS_PER_TRACE, scores: 0 };

let folder: string;
let postgres: PostgresServer;
let database: PostgresAddress;
let clickHouse: ChdbServer;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "agate-migration-"));
  [postgres, clickHouse] = await Promise.all([startPostgres(), startChdbServer()]);
  database = await postgres.createDatabase();
});
afterAll(async () => {
  await postgres.dispose();
  await clickHouse.dispose();
  await rm(folder, { recursive: true, force: true });
});

/** Copies all of one store to another, and gives what was printed. */
async function copyAll(
  from: string,
  to: string,
  state: string,
  meanwhile?: () => Promise<void>,
): Promise<string> {
  const { code, stdout, stderr } = await migrate(
    ["env:FROM", "env:TO", "--state", state, "--json"],
    { folder, env: { FROM: from, TO: to }, ...(meanwhile && { meanwhile }) },
  );
  expect(stderr).toBe("");
  expect(JSON.parse(stdout)).toMatchObject({
    projects: [{ project: "default", from: ALL, to: ALL }],
    missing_traces: [],
    compared_traces: TRACES,
    differing_traces: [],
  });
  expect(code).toBe(0);
  return stdout;
}

it("copies from each store to the next, and all answer the same", async () => {
  const first = join(folder, "first");
  {
    await using server = await startServer({ dataDirectory: first });
    await sendTraces(server.url, TRACES);
    expect(await server.stop()).toBe(0);
  }
  const state = join(folder, "one.json");
  // A database that is started again while it copies is waited for.
  await copyAll(`sqlite:${first}`, database.url, state, async () => {
    await expect.poll(() => existsSync(state), { interval: 5 }).toBe(true);
    await postgres.kill();
    await postgres.start();
  });
  expect(await readFile(state, "utf8")).not.toContain(encodeURIComponent("p@ss/word"));
  await copyAll(database.url, clickHouse.url("agate"), "two.json");
  await copyAll(clickHouse.url("agate"), `sqlite:${join(folder, "last")}`, "three.json");

  const wanted = await answersOf(first, TRACES);
  expect(await answersOf(join(folder, "last"), TRACES)).toEqual(wanted);
  const elsewhere = join(folder, "elsewhere");
  for (const store of [database.url, clickHouse.url("agate")]) {
    expect(await answersOf(elsewhere, TRACES, ["--store", store])).toEqual(wanted);
  }
}, 180_000);

it("refuses a database without spans as the source, and makes no tables in it", async () => {
  const empty = await postgres.createDatabase();
  const { code, stderr } = await migrate([empty.url, "sqlite:x"], { folder });
  expect(stderr).toBe(
    `agate: There are no spans of Agate in ${empty.shown}. Name the database that a server had as its --store.\n`,
  );
  expect(code).toBe(1);
  const sql = "SELECT to_regnamespace('agate') AS schema";
  expect(await postgres.query(empty, sql)).toEqual([{ schema: null }]);

  const nowhere = await migrate([clickHouse.url("nowhere"), "sqlite:x"], { folder });
  expect(nowhere.stderr).toMatch(/^agate: There are no spans of Agate in clickhouse:\/\/agate@/);
  expect(nowhere.code).toBe(1);
  expect(existsSync(join(folder, "x"))).toBe(false);
});

it("refuses a copy onto itself, by a name that only the database can tell", async () => {
  for (const { port, url } of [
    { port: postgres.port, url: database.url },
    { port: clickHouse.port, url: clickHouse.url("agate") },
  ]) {
    await using link = await startDatabaseLink(port);
    const through = Object.assign(new URL(url), { port: String(link.port) });
    const { code, stderr } = await migrate([url, through.href], { folder });
    expect(stderr).toBe(
      "agate: Both addresses lead to the same store: there is nothing to copy.\n",
    );
    expect(code).toBe(1);
  }
});
