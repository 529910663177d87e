import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openRegistry } from "../../registry/open-registry.ts";
import type { Registry } from "../../registry/registry.ts";
import { summarizeDocument } from "../../registry/schema/workflow-document.fixture.ts";
import { goLive, newBuild } from "../../registry/testing/go-live.fixture.ts";
import type { PostgresAddress } from "../store-address.ts";
import type { PostgresServer } from "../testing/embedded-postgres.fixture.ts";
import { startPostgres } from "../testing/shared-databases.fixture.ts";
import { openPostgresRegistry } from "./open-postgres-registry.ts";
import { parseSignal } from "./open-postgres-signals.ts";
import type { OpenRegistryDatabase } from "./open-registry-database.ts";
import type { RegistrySignal } from "./registry-signals.ts";
import { settleSignals } from "./testing/settle-signals.fixture.ts";

const APP = { project: "default", application: "support" };
/** Where all is busy. */
const SOON = { timeout: 15_000 };
const BY = { by: "a", message: "" };

let server: PostgresServer;
let address: PostgresAddress;
let here: Registry;
/** The same registry as another process has it. */
let there: Pick<OpenRegistryDatabase, "db" | "signals">;
let told: RegistrySignal[];
let lost: string[];
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.dispose());
beforeEach(async () => {
  address = await server.createDatabase();
  here = await openRegistry(await openPostgresRegistry(address));
  lost = [];
  there = await openPostgresRegistry(address, {
    onSignalsLost: (reason) => lost.push(reason),
    onSignalsBack: () => lost.push("back"),
  });
  told = [];
  there.signals.subscribe((signal) => told.push(signal));
});
afterEach(async () => {
  await here.close();
  await there.signals.close();
  await there.db.destroy();
});

/** What the other process is told while something happens here. */
async function toldOf(work: () => Promise<unknown>): Promise<RegistrySignal[]> {
  await settleSignals(there);
  told.length = 0;
  await work();
  await settleSignals(there);
  // Without the marker.
  return told.slice(0, -1);
}

async function application(): Promise<string> {
  const created = await here.applications.create("default", "support");
  await here.variants.create(APP, "default");
  if (created.kind === "refused") throw new Error(created.problems[0].msg);
  return created.value.id;
}

describe("signals of a registry in PostgreSQL", () => {
  it("tell another process what of an application may resolve to something else", async () => {
    const applicationId = await application();
    const { revisions, builds, deployments, environments, applications } = here;
    const commit = { ...BY, params: {}, baseRevision: 0 };
    const config = [{ kind: "config", applicationId }];
    expect(await toldOf(() => revisions.commit(APP, "default", commit))).toEqual(config);
    // A newer revision exists.
    expect(await toldOf(() => revisions.commit(APP, "default", commit))).toEqual([]);
    await builds.begin(APP, newBuild());
    await goLive(here, APP, { environment: "staging", build: "1" });
    const what = { environment: "staging", config: { variant: "default", revision: 1 } };
    expect(await toldOf(() => goLive(here, APP, what))).toEqual(config);
    const both = expect.arrayContaining([...config, { kind: "builds", applicationId }]);
    expect(await toldOf(() => deployments.takeDown(APP, "staging"))).toEqual(both);
    expect(await toldOf(() => environments.create(APP, "canary"))).toEqual(config);
    expect(await toldOf(() => applications.rename(APP, "support"))).toEqual([]);
    expect(await toldOf(() => applications.rename(APP, "helpdesk"))).toEqual(config);
    const renamed = { ...APP, application: "helpdesk" };
    expect(await toldOf(() => applications.delete(renamed))).toEqual(both);
  });

  it("tell of builds that begin or cease to serve", async () => {
    const applicationId = await application();
    const { builds, deployments } = here;
    // The default environment's is what servers of earlier releases hear of as a build.
    const config = { kind: "config", applicationId };
    const both = [{ kind: "builds", applicationId }, config];
    await builds.begin(APP, newBuild());
    await builds.begin(APP, newBuild());
    const openapi = await summarizeDocument(1);
    const sorted = async (work: () => Promise<unknown>) =>
      (await toldOf(work)).toSorted((a, b) => (a.kind < b.kind ? -1 : 1));
    const live = (environment: string, build: string) => () =>
      goLive(here, APP, { environment, build }, { openapi });
    expect(await sorted(live("production", "1"))).toEqual(both);
    expect(await sorted(live("staging", "1"))).toEqual([config]);
    expect(await sorted(live("production", "2"))).toEqual(both);
    expect(await sorted(() => deployments.takeDown(APP, "staging"))).toEqual([config]);
    expect(await sorted(() => deployments.takeDown(APP, "production"))).toEqual(both);
  });

  it("tell of changed variables, once for each change", async () => {
    const applicationId = await application();
    const { variables, environments } = here;
    const change = (names: readonly string[], unset: readonly string[] = []) => {
      const set = names.map((name) => ({ name, value: "x", isSecret: false }));
      return variables.change(APP, "staging", { set, unset }, "a");
    };
    const told = [{ kind: "variables", applicationId }];
    expect(await toldOf(() => change(["A", "B"]))).toEqual(told);
    expect(await toldOf(() => change(["A"], ["B"]))).toEqual(told);
    expect(await toldOf(() => change([], ["NOPE"]))).toEqual([]);
    const config = [{ kind: "config", applicationId }];
    expect(await toldOf(() => environments.delete(APP, "staging"))).toEqual(config);
  });

  it("tell of projects and keys, also when they are changed by hand", async () => {
    const access = [{ kind: "access" }];
    expect(await toldOf(() => here.projects.create("other"))).toEqual(access);
    expect(await toldOf(() => here.projects.rename("other", "another"))).toEqual(access);
    const key =
      "INSERT INTO agate.api_keys VALUES ('key', 'default', 'ci', 'ag', 'h', '[]', '2026')";
    expect(await toldOf(() => server.query(address, key))).toEqual(access);
    const use = "UPDATE agate.api_keys SET last_used_at = '2026'";
    expect(await toldOf(() => server.query(address, use))).toEqual([]);
    const gone = "DELETE FROM agate.api_keys";
    expect(await toldOf(() => server.query(address, gone))).toEqual(access);
    expect(await toldOf(() => here.projects.delete("another"))).toEqual(access);
  });

  it("tell everything anew when the connection was broken, and go on", async () => {
    const applicationId = await application();
    await settleSignals(there);
    told.length = 0;
    const [ended] = await server.query<{ count: string }>(
      address,
      "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname = current_database()",
    );
    expect(ended).toEqual({ count: "2" });
    await expect.poll(() => told, SOON).toEqual([{ kind: "everything" }]);
    expect(lost).toEqual(["The database is being shut down.", "back"]);
    expect(await toldOf(() => here.environments.create(APP, "canary"))).toEqual([
      { kind: "config", applicationId },
    ]);
  });

  it("come back with a server that was away", async () => {
    await server.stop();
    await expect.poll(() => lost, SOON).toContain("The database cannot be reached.");
    expect(told).toEqual([]);
    await server.start();
    await expect.poll(() => told, SOON).toEqual([{ kind: "everything" }]);
    expect(await toldOf(() => here.projects.create("other"))).toEqual([{ kind: "access" }]);
  });

  it("can be closed while the server is away", async () => {
    const other = await openPostgresRegistry(address);
    await server.stop();
    await other.signals.close();
    await other.db.destroy();
    await server.start();
    // The others are there again, and so the tests after this one.
    await sql`SELECT`.execute(there.db);
  });
});

it.each([
  ["access", { kind: "access" }],
  ["config app_1", { kind: "config", applicationId: "app_1" }],
  ["builds app_1", { kind: "builds", applicationId: "app_1" }],
  ["variables app_1", { kind: "variables", applicationId: "app_1" }],
])("reads %j", (payload, signal) => {
  expect(parseSignal(payload)).toEqual(signal);
});

it.each(["", "config", "config ", "config app_1 more", "access all", "quotas app_1"])(
  "takes %j for anything",
  (payload) => {
    expect(parseSignal(payload)).toEqual({ kind: "everything" });
  },
);
