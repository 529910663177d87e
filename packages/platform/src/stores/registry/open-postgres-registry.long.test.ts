import type { Kysely } from "kysely";
import { sql } from "kysely";
import { Client } from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { done } from "../../registry/contract/subject.fixture.ts";
import { openRegistry } from "../../registry/open-registry.ts";
import type { Registry } from "../../registry/registry.ts";
import { summarizeDocument } from "../../registry/schema/workflow-document.fixture.ts";
import { goLive, newBuild } from "../../registry/testing/go-live.fixture.ts";
import { prepareSpanDatabase } from "../postgres/prepare-database.ts";
import type { PostgresAddress } from "../store-address.ts";
import { RegistryUnavailableError, StoreRefusalError } from "../store-errors.ts";
import type { PostgresServer } from "../testing/embedded-postgres.fixture.ts";
import { startPostgres } from "../testing/shared-databases.fixture.ts";
import { startStrictPooler } from "../testing/strict-pooler.fixture.ts";
import type { PostgresRegistryOptions } from "./open-postgres-registry.ts";
import { openPostgresRegistry } from "./open-postgres-registry.ts";
import { POSTGRES_REGISTRY_MIGRATIONS } from "./registry-migrations.ts";
import { REGISTRY_POOL_LIMITS } from "./serial-postgres-dialect.ts";

const APP = { project: "default", application: "support" };

let server: PostgresServer;
let address: PostgresAddress;
const registries: Registry[] = [];
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.dispose());
beforeEach(async () => {
  address = await server.createDatabase();
});
afterEach(async () => {
  for (const registry of registries.splice(0)) await registry.close();
});

async function open(options?: PostgresRegistryOptions): Promise<Registry> {
  const registry = await openRegistry(await openPostgresRegistry(address, options));
  registries.push(registry);
  return registry;
}

/** An application whose variant has one revision. */
async function fill(registry: Registry): Promise<void> {
  await registry.applications.create("default", "support");
  await registry.variants.create(APP, "default");
  expect(await commit(registry, 0)).toMatchObject({ kind: "done" });
}

function commit(registry: Registry, baseRevision: number) {
  const commit = { by: "a", message: "", params: {}, baseRevision };
  return registry.revisions.commit(APP, "default", commit);
}

async function latestRevision(registry: Registry): Promise<number | undefined> {
  const variant = await registry.variants.get(APP, "default");
  return variant.kind === "done" ? variant.value.latest_revision : undefined;
}

/** The one sentence that an address is refused with. */
async function refusal(refused: PostgresAddress): Promise<string> {
  const error = await openPostgresRegistry(refused).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(StoreRefusalError);
  const { message } = error as Error;
  const password = decodeURIComponent(new URL(refused.url).password);
  if (password !== "") expect(message).not.toContain(password);
  return message;
}

function addressFor(user: string, password: string): PostgresAddress {
  const url = Object.assign(new URL(address.url), { username: user, password });
  const shown = Object.assign(new URL(address.shown), { username: user });
  return { kind: "postgres", url: url.href, shown: shown.href };
}

describe("openPostgresRegistry", () => {
  it("makes the tables once, though ten begin at the same time", async () => {
    const ten = await Promise.all(Array.from({ length: 10 }, () => open()));
    const rows = await server.query<{ name: string }>(
      address,
      "SELECT name FROM agate.registry_migrations ORDER BY name",
    );
    expect(rows.map(({ name }) => name)).toEqual(Object.keys(POSTGRES_REGISTRY_MIGRATIONS));
    const [first] = ten;
    if (first !== undefined) await fill(first);
    expect(await Promise.all(ten.map(latestRevision))).toEqual(Array(10).fill(1));
  });

  it.each(["read committed", "serializable"])(
    "makes the default project once, though ten begin at the same time (%s)",
    async (isolation) => {
      const name = new URL(address.url).pathname.slice(1);
      await server.query(
        address,
        `ALTER DATABASE ${name} SET default_transaction_isolation = '${isolation}'`,
      );
      const ten = await Promise.all(
        Array.from({ length: 10 }, () => openPostgresRegistry(address)),
      );
      // Whether two of them meet is a matter of microseconds.
      for (let round = 0; round < 10; round += 1) {
        await server.query(address, "DELETE FROM agate.projects");
        const [first] = await Promise.all(ten.map((opened) => openRegistry(opened)));
        expect(await first?.projects.list()).toMatchObject([{ slug: "default" }]);
      }
      for (const { db, signals } of ten) {
        await signals.close();
        await db.destroy();
      }
    },
  );

  it("takes a user who may only make tables, with settings that are unusual", async () => {
    const user = `${new URL(address.url).pathname.slice(1)}_user`;
    await server.query(address, `CREATE ROLE ${user} LOGIN PASSWORD 'secret'`);
    await server.query(address, `GRANT CREATE ON DATABASE ${user.slice(0, -5)} TO ${user}`);
    for (const setting of [
      "search_path = ''",
      "datestyle = 'SQL, DMY'",
      "default_transaction_isolation = serializable",
      "standard_conforming_strings = off",
      "bytea_output = escape",
      "lock_timeout = 1",
      "synchronous_commit = off",
    ]) {
      await server.query(address, `ALTER ROLE ${user} SET ${setting}`);
    }
    address = addressFor(user, "secret");
    const three = await Promise.all([open(), open(), open()]);
    await fill(three[0]);
    const committed = await Promise.all(three.map((registry) => commit(registry, 1)));
    expect(committed.filter(({ kind }) => kind === "done")).toHaveLength(1);
    expect(await Promise.all(three.map(latestRevision))).toEqual([2, 2, 2]);
    const { db, signals } = await openPostgresRegistry(address);
    expect((await sql`SHOW synchronous_commit`.execute(db)).rows).toEqual([
      { synchronous_commit: "on" },
    ]);
    await signals.close();
    await db.destroy();
  });

  it("gives no build up that another server is about to let serve", async () => {
    const [one, other] = [await open(), await open()];
    await fill(one);
    const build = done(await one.builds.begin(APP, newBuild()));
    const blocker = new Client({ connectionString: address.url });
    await blocker.connect();
    await blocker.query("BEGIN; LOCK TABLE agate.revisions");
    const openapi = await summarizeDocument(2);
    const waiting = () =>
      server.query(address, "SELECT locktype FROM pg_locks WHERE NOT granted ORDER BY 1");
    const serving = goLive(one, APP, { environment: "staging", build: build.id }, { openapi });
    await expect.poll(waiting).toEqual([{ locktype: "relation" }]);
    const givenUp = other.builds.refuse(build.id, "It was left behind.");
    await expect.poll(waiting).toEqual([{ locktype: "advisory" }, { locktype: "relation" }]);
    await blocker.end();
    expect(done(await serving).build.status).toBe("live");
    expect(await givenUp).toBe(false);
  });

  it("may be reached through a pooler that takes no settings at the start", async () => {
    await using pooler = await startStrictPooler(address);
    const { db, signals, sharedBuilds } = await openPostgresRegistry(pooler.address);
    const registry = await openRegistry({ db, signals });
    await fill(registry);
    expect(await latestRevision(registry)).toBe(1);
    await using turn = await sharedBuilds.tryLease("app_1");
    expect(turn).toBeDefined();
    await registry.close();
  });

  it("migrates older tables and keeps what is in them; older programs refuse them then", async () => {
    await fill(await open());
    const migrations = {
      ...POSTGRES_REGISTRY_MIGRATIONS,
      "9999-stars": {
        up: (db: Kysely<unknown>) =>
          db.schema.alterTable("revisions").addColumn("starred", "integer").execute(),
      },
    };
    expect(await latestRevision(await open({ migrations }))).toBe(1);
    const known = Object.keys(POSTGRES_REGISTRY_MIGRATIONS).length;
    expect(await refusal(address)).toBe(
      `${address.shown} was written by a newer version of Agate (schema ${known + 1}; this one knows ${known}). Nothing was changed: upgrade Agate.`,
    );
  });

  it("leaves the old version whole when a migration fails", async () => {
    await fill(await open());
    const migrations = {
      ...POSTGRES_REGISTRY_MIGRATIONS,
      "9998-half": {
        up: (db: Kysely<unknown>) => db.schema.dropTable("revisions").execute(),
      },
      "9999-broken": {
        up: async (db: Kysely<unknown>) => void (await sql`nonsense`.execute(db)),
      },
    };
    await expect(openPostgresRegistry(address, { migrations })).rejects.toThrow(/syntax error/);
    const registry = await open();
    expect(await registry.revisions.get(APP, "default", 1)).toMatchObject({ kind: "done" });
  });

  it("says what to do where there is no such database, login or server", async () => {
    expect(await refusal(server.address("nowhere"))).toMatch(
      /^There is no database at postgres:\/\/agate@127.0.0.1:\d+\/nowhere\. Create it with CREATE DATABASE "nowhere"/,
    );
    expect(await refusal(addressFor("agate", "wrong"))).toMatch(
      /correct the user and the password/,
    );
    expect(await refusal(addressFor("unknown", ""))).toMatch(/correct the user and the password/);
    const [url, shown] = [address.url, address.shown].map((text) =>
      text.replace(`:${server.port}`, ":1"),
    ) as [string, string];
    expect(await refusal({ kind: "postgres", url, shown })).toBe(
      `${shown} cannot be used (ECONNREFUSED). The database cannot be reached. Start it, or correct the URL.`,
    );
  });

  it("shares a database with spans, though both are prepared at the same time", async () => {
    await Promise.all([open(), prepareSpanDatabase(address), open(), prepareSpanDatabase(address)]);
    const rows = await server.query<{ table: string }>(
      address,
      "SELECT tablename AS table FROM pg_tables WHERE schemaname = 'agate'",
    );
    expect(rows.map(({ table }) => table)).toEqual(
      expect.arrayContaining(["projects", "registry_migrations", "traces", "span_schema"]),
    );
  });

  it("needs a right to make tables, but none once they are there", async () => {
    const role = `user_${address.url.slice(-6)}`;
    await server.query(address, `CREATE ROLE ${role} LOGIN PASSWORD 'secret'`);
    const limited = addressFor(role, "secret");
    const database = new URL(address.url).pathname.slice(1);
    expect(await refusal(limited)).toContain(
      `Allow it with GRANT CREATE ON DATABASE "${database}" TO "${role}".`,
    );
    await fill(await open());
    await server.query(address, `GRANT USAGE ON SCHEMA agate TO ${role}`);
    await server.query(address, `GRANT ALL ON ALL TABLES IN SCHEMA agate TO ${role}`);
    const owner = address;
    address = limited;
    expect(await commit(await open(), 1)).toMatchObject({ kind: "done" });
    address = owner;
    await server.query(address, `DROP OWNED BY ${role}; DROP ROLE ${role}`);
  });

  it("refuses tables of another program", async () => {
    await server.query(address, "CREATE SCHEMA agate; CREATE TABLE agate.projects (name text)");
    expect(await refusal(address)).toMatch(/"projects" already exists.*another database/);
    expect(await server.query(address, "SELECT * FROM agate.projects")).toEqual([]);
  });
});

describe("a registry in PostgreSQL with several processes", () => {
  it("lets one of those win who change the same at the same time", async () => {
    const replicas = [await open(), await open(), await open()] as const;
    await fill(replicas[0]);
    const outcomes = await Promise.all(
      Array.from({ length: 30 }, (_, n) => commit(replicas[n % 3] ?? replicas[0], 1)),
    );
    expect(outcomes.filter(({ kind }) => kind === "done")).toHaveLength(1);
    const build = done(await replicas[0].builds.begin(APP, newBuild())).id;
    const what = {
      environment: "production",
      build,
      config: { variant: "default", revision: null },
    };
    const deployed = await Promise.all(
      Array.from({ length: 12 }, (_, n) => goLive(replicas[n % 3] ?? replicas[0], APP, what)),
    );
    expect(deployed.filter(({ kind }) => kind === "done")).toHaveLength(12);
    const history = await replicas[1].deployments.list(APP, null, { limit: 100, before: null });
    const items = history.kind === "done" ? history.value.items : [];
    expect(items.filter(({ ended_at }) => ended_at === null)).toHaveLength(1);
  });
});

describe("a registry in PostgreSQL that cannot be used now", () => {
  async function reasonOf(work: Promise<unknown>): Promise<string> {
    const error = await work.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(RegistryUnavailableError);
    return (error as RegistryUnavailableError).reason;
  }

  it("reports it, and recovers when the server is back", async () => {
    const registry = await open();
    await fill(registry);
    await server.stop();
    expect(await reasonOf(commit(registry, 1))).toMatch(/^The (?:connection to the )?database /);
    expect(await reasonOf(latestRevision(registry))).toBe("The database cannot be reached.");
    await server.start();
    expect(await commit(registry, 1)).toMatchObject({ kind: "done" });
  });

  it("keeps nothing of a change whose connection breaks", async () => {
    const { db, signals } = await openPostgresRegistry(address);
    const registry = await openRegistry({ db, signals });
    registries.push(registry);
    const broken = db.transaction().execute(async (tx) => {
      await tx.deleteFrom("projects").execute();
      const { rows } = await sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`.execute(tx);
      await server.query(address, "SELECT pg_terminate_backend($1)", [rows[0]?.pid]);
    });
    expect(await reasonOf(broken)).toMatch(/was lost|being shut down/);
    expect(await registry.projects.list()).toHaveLength(1);
  });

  /** Keeps all others from changing anything; resolves with how to let them. */
  async function holdLock(): Promise<() => Promise<void>> {
    const { db, signals } = await openPostgresRegistry(address);
    const locked = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    const holding = db.transaction().execute(async () => {
      locked.resolve();
      await released.promise;
    });
    await locked.promise;
    return async () => {
      released.resolve();
      await holding;
      await signals.close();
      await db.destroy();
    };
  }

  it("lets others read while a change waits too long", async () => {
    const registry = await open({ limits: { ...REGISTRY_POOL_LIMITS, locking: 50 } });
    await fill(registry);
    const release = await holdLock();
    expect(await reasonOf(commit(registry, 1))).toBe(
      "The database is locked by another transaction.",
    );
    expect(await latestRevision(registry)).toBe(1);
    await release();
    expect(await commit(registry, 1)).toMatchObject({ kind: "done" });
  });

  it("says that all connections are in use, and goes on when they are not", async () => {
    const limits = { ...REGISTRY_POOL_LIMITS, connections: 1, connecting: 500, locking: 0 };
    const registry = await open({ limits });
    await fill(registry);
    const release = await holdLock();
    const waiting = commit(registry, 1);
    expect(await reasonOf(latestRevision(registry))).toBe(
      "All connections to the database are in use.",
    );
    await release();
    expect(await waiting).toMatchObject({ kind: "done" });
    expect(await latestRevision(registry)).toBe(2);
  });

  it("answers who reads, however many changes wait", async () => {
    const registry = await open({ limits: { ...REGISTRY_POOL_LIMITS, locking: 0 } });
    await fill(registry);
    const release = await holdLock();
    const waiting = Array.from({ length: 50 }, (_, n) => registry.projects.create(`project-${n}`));
    expect(await Promise.all(Array.from({ length: 50 }, () => latestRevision(registry)))).toEqual(
      Array(50).fill(1),
    );
    await release();
    expect((await Promise.all(waiting)).filter(({ kind }) => kind === "done")).toHaveLength(50);
  });

  it("gives up a change that its process has left in the middle", async () => {
    const registry = await open();
    await fill(registry);
    const limits = { ...REGISTRY_POOL_LIMITS, resting: 500 };
    const { db, signals } = await openPostgresRegistry(address, { limits });
    const begun = Promise.withResolvers<void>();
    const woken = Promise.withResolvers<void>();
    const stuck = db.transaction().execute(async (tx) => {
      await tx.deleteFrom("variants").execute();
      begun.resolve();
      await woken.promise;
    });
    await begun.promise;
    expect(await commit(registry, 1)).toMatchObject({ kind: "done" });
    woken.resolve();
    expect(await reasonOf(stuck)).toMatch(/took too long|was lost/);
    await signals.close();
    await db.destroy();
  });
});
