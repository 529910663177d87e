import { existsSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { sql } from "kysely";
import { Client } from "pg";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { buildArchive } from "../deployments/builds/testing/build-archive.fixture.ts";
import { newCases, result, runRequest } from "../registry/contract/run.fixture.ts";
import { done } from "../registry/contract/subject.fixture.ts";
import { openRegistry } from "../registry/open-registry.ts";
import type { Registry } from "../registry/registry.ts";
import { summarizeDocument } from "../registry/schema/workflow-document.fixture.ts";
import { goLive, newBuild } from "../registry/testing/go-live.fixture.ts";
import type { OpenRegistryDatabase } from "../stores/registry/open-registry-database.ts";
import { openRegistryDatabase } from "../stores/registry/open-registry-database.ts";
import { REGISTRY_KEYS } from "../stores/registry/registry-tables.ts";
import { filesIn, holdDataDirectory } from "../stores/sqlite/data-directory.ts";
import type { RegistryAddress, SqliteAddress } from "../stores/store-address.ts";
import type { PostgresDatabases } from "../stores/testing/embedded-postgres.fixture.ts";
import { sharedPostgres } from "../stores/testing/shared-databases.fixture.ts";
import { startStrictPooler } from "../stores/testing/strict-pooler.fixture.ts";
import { newSecretKey, SecretKeys } from "../variables/secret-keys.ts";
import type { CopiedRegistry } from "./copy-registry.ts";
import { folderArchives } from "./folder-archives.ts";
import type { RegistryMigration } from "./migrate-registry.ts";
import { migrateRegistry } from "./migrate-registry.ts";

const SECRET_KEY = newSecretKey();

/** More than fit into one page. */
const REVISIONS = 120;
const KEYS = 60;

let postgres: PostgresDatabases;
let folder: string;
let from: SqliteAddress;
let to: SqliteAddress;
beforeAll(async () => {
  postgres = await sharedPostgres();
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "agate-registry-copy-"));
  from = sqlite("from");
  to = sqlite("to");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function sqlite(name: string): SqliteAddress {
  return { kind: "sqlite", directory: join(folder, name) };
}

function migrate(migration: Partial<RegistryMigration> = {}) {
  const { signal } = new AbortController();
  return migrateRegistry({ from, to, signal, onTable: () => {}, ...migration });
}

async function copy(source: RegistryAddress, target: RegistryAddress): Promise<CopiedRegistry> {
  const outcome = await migrate({ from: source, to: target });
  expect(outcome).toMatchObject({ kind: "copied" });
  return outcome as CopiedRegistry;
}

async function expectRefusal(reason: RegExp, migration: Partial<RegistryMigration> = {}) {
  const outcome = await migrate(migration);
  expect(outcome).toEqual({ kind: "refused", reason: expect.stringMatching(reason) });
}

async function inRegistry<Result>(
  address: RegistryAddress,
  work: (registry: Registry, database: OpenRegistryDatabase) => Promise<Result>,
): Promise<Result> {
  const held = address.kind === "sqlite" ? holdDataDirectory(address.directory) : undefined;
  const database = await openRegistryDatabase(address);
  const secretKeys = new SecretKeys({ read: () => [SECRET_KEY], create: null });
  const registry = await openRegistry(database, { secretKeys });
  try {
    return await work(registry, database);
  } finally {
    await registry.close();
    held?.release();
  }
}

function fill(project = "default"): Promise<void> {
  return inRegistry(from, async (registry) => {
    const app = { project, application: "support" };
    done(await registry.applications.create(project, "support"));
    done(await registry.variants.create(app, "default"));
  });
}

/** Two projects with something in every table. */
function fillAll(): Promise<void> {
  return inRegistry(from, async (registry, { db }) => {
    const by = { by: "Zoë", message: "tab\tand “quotes” 𝒳" };
    const { id: project } = done(await registry.projects.create("team-b"));
    for (const application of ["support", "billing"]) {
      const app = { project, application };
      done(await registry.applications.create(project, application));
      done(await registry.variants.create(app, "default"));
      done(await registry.environments.create(app, "canary"));
    }
    done(await registry.redaction.set(project, { keys: ["größe"] }, by.by));
    const app = { project, application: "support" };
    const set = [
      { name: "TOKEN", value: "größe", isSecret: true },
      { name: "REGION", value: "eu", isSecret: false },
    ];
    done(await registry.variables.change(app, "canary", { set, unset: [] }, by.by));
    const builds: string[] = [];
    for (const baseRevision of [0, 1]) {
      const params = { "/say": { word: `${baseRevision} \u0000 ü`, size: 0.1 } };
      done(await registry.revisions.commit(app, "default", { ...by, params, baseRevision }));
      const config = { variant: "default", revision: null };
      const { id: build } = done(await registry.builds.begin(app, newBuild(by)));
      done(await goLive(registry, app, { environment: "production", build, config }));
      builds.push(build);
    }
    const committed = await db.selectFrom("revisions").selectAll().executeTakeFirstOrThrow();
    const more = Array.from({ length: REVISIONS - 2 }, (_, n) => ({
      ...committed,
      revision: n + 3,
    }));
    await db.insertInto("revisions").values(more).execute();
    const keys = Array.from({ length: KEYS }, (_, n) => ({
      id: `key_${n}`,
      project_id: project,
      name: "ci",
      prefix: `ag_${n}`,
      hash: String(n).padStart(64, "f"),
      scopes: '["read"]',
      created_at: "2026-01-01T00:00:00.000Z",
      last_used_at: n === 0 ? null : "2026-01-02T00:00:00.000Z",
    }));
    await db.insertInto("api_keys").values(keys).execute();
    const created_at = "2026-01-01T00:00:00.000Z";
    const session = { hash: "0".repeat(64), key_id: "key_0", created_at, expires_at: created_at };
    await db.insertInto("sessions").values(session).execute();
    for (const id of builds) {
      const archive = await buildArchive({ files: { "app.js": id } });
      await folderArchives(from.directory).keep(id, archive);
    }
    // The files of this one are gone.
    const billing = { project, application: "billing" };
    const { id: build } = done(await registry.builds.begin(billing, newBuild()));
    done(await goLive(registry, billing, { environment: "production", build }));
    done(await goLive(registry, billing, { environment: "staging", build }));
    // A workflow that runs elsewhere has no files, and loses none.
    const elsewhere = await summarizeDocument(1);
    const options = { environment: "canary", by: "Zoë" };
    done(await registry.applications.putSchema(billing, elsewhere, options));
    const { id: environment_id } = done(await registry.environments.get(app, "production"));
    const last_called_at = "2026-01-02T00:00:00.000Z";
    await db
      .insertInto("route_calls")
      .values({ environment_id, route: "/größe", last_called_at })
      .execute();
    const configs = { helpful: { rubric: "größe \u0000" } };
    done(await registry.scorers.commit(app, { ...by, configs, baseRevision: 0 }));
    await fillTestSet(registry, project);
    const { id: application_id } = done(await registry.applications.get(billing));
    await db.updateTable("test_sets").set({ application_id, route: "/größe" }).execute();
    const run = { project, run: "ci-1" };
    const request = runRequest({ id: run.run, runner: "platform" });
    done(await registry.runs.create(project, request, by.by));
    done(await registry.runs.addCases(run, newCases(["größe", "b"])));
    done(await registry.runs.lease(run, { count: 4, ms: 1000 }));
    const item = { column: "candidate", case: "größe" };
    done(await registry.runs.addResults(run, [result(item, 0.1, { cost: 1e-7, latency_ms: 5 })]));
  });
}

/** Rows of which one was changed and moved, between others. */
async function fillTestSet({ testSets }: Registry, project: string): Promise<void> {
  const created = { slug: "golden", description: "größe", boundTo: null };
  done(await testSets.create(project, created, "Zoë"));
  for (const ids of ["abc", "bAc"]) {
    const rows = [...ids].map((letter) => ({
      ...{ id: `${letter.toLowerCase()} 𝒳`, inputs: { text: `${letter} \u0000` }, expected: 0.1 },
      ...{ metadata: {}, tags: [], source: null },
    }));
    const change = { kind: "replace", rows, lines: null } as const;
    const commit = { change, baseRevision: null, by: "Zoë", message: "" };
    done(await testSets.commit(project, "golden", commit));
  }
}

describe("migrateRegistry", () => {
  it("copies from SQLite to PostgreSQL, on to another, and back, and all hold the same", async () => {
    await fillAll();
    const [first, second] = [await postgres.createDatabase(), await postgres.createDatabase()];
    const copied = await copy(from, first);
    expect(Object.fromEntries(copied.tables.map(({ table, rows }) => [table, rows]))).toEqual({
      projects: 2,
      redaction_rules: 1,
      api_keys: KEYS,
      sessions: 1,
      applications: 2,
      variants: 2,
      // One more was made by the deploy of the other application.
      revisions: REVISIONS + 1,
      environments: 8,
      variables: 2,
      variable_history: 2,
      deployments: 5,
      builds: 4,
      server_reports: 0,
      route_calls: 1,
      test_sets: 1,
      test_set_revisions: 2,
      test_rows: 5,
      runs: 1,
      run_cases: 2,
      run_results: 1,
      run_leases: 3,
      scorer_revisions: 1,
      run_workers: 0,
    });
    expect(copied.archives).toBe(2);
    const environments = ["staging", "production"];
    expect(copied.lost).toEqual([
      { project: "team-b", application: "billing", build: 1, environments },
    ]);

    const back = await copy(first, second).then(() => copy(second, to));
    expect(back).toEqual(copied);
    const builds = await inRegistry(to, (_, { db }) =>
      db.selectFrom("builds").select(["id", "status"]).orderBy("created_at").execute(),
    );
    expect(builds.map(({ status }) => status)).toEqual(["retired", "live", "retired", "retired"]);
    const [before, after] = await Promise.all(
      [from, to].map((address) =>
        inRegistry(address, async (registry, { db }) => {
          const { id } = await db
            .selectFrom("variables")
            .select("environment_id as id")
            .executeTakeFirstOrThrow();
          return registry.variables.values(id);
        }),
      ),
    );
    expect(after?.values).toHaveLength(2);
    expect(after).toEqual(before);
    for (const { id } of builds) {
      const [wanted, found] = await Promise.all(
        [from, to].map(({ directory }) => folderArchives(directory).read(id)),
      );
      expect(found).toEqual(wanted);
    }
  });

  it("copies over the default project of a registry that was opened, and goes on in it", async () => {
    await fill();
    const target = await postgres.createDatabase();
    await inRegistry(target, async () => {});
    await copy(from, target);
    const [before, after] = await Promise.all(
      [from, target].map((address) => inRegistry(address, ({ projects }) => projects.list())),
    );
    expect(after).toEqual(before);
    await inRegistry(target, async (registry) => {
      const app = { project: "default", application: "support" };
      const commit = { by: "a", message: "", params: {}, baseRevision: 0 };
      done(await registry.revisions.commit(app, "default", commit));
    });
  });

  it("copies all or nothing when it is stopped", async () => {
    await fillAll();
    for (const target of [to, await postgres.createDatabase()]) {
      const ended = new AbortController();
      const onTable = (table: string) => {
        if (table === "builds") ended.abort();
      };
      const outcome = await migrate({ to: target, signal: ended.signal, onTable });
      expect(outcome).toEqual({ kind: "interrupted" });
      await copy(from, target);
    }
  });

  it("copies nothing when the database goes away in the middle", async () => {
    await fillAll();
    const target = await postgres.createDatabase();
    await inRegistry(target, async () => {});
    const blocking = new Client({ connectionString: target.url });
    await blocking.connect();
    await blocking.query("BEGIN; LOCK TABLE agate.builds IN SHARE MODE");
    const outcome = migrate({ to: target });
    const ended = () =>
      postgres.query<{ ended: boolean }>(
        target,
        // Tables of other databases have the same oid.
        `SELECT pg_terminate_backend(pid) AS ended FROM pg_locks JOIN pg_stat_activity USING (pid)
         WHERE datname = current_database() AND relation = 'agate.builds'::regclass AND NOT granted`,
      );
    await expect.poll(ended).toEqual([{ ended: true }]);
    expect(await outcome).toMatchObject({ kind: "broken-off" });
    await blocking.end();
    await copy(from, target);
  });

  it("takes back what did not arrive as it was sent", async () => {
    await fill();
    await inRegistry(to, (_, { db }) =>
      sql`CREATE TRIGGER meddling AFTER INSERT ON variants BEGIN
        UPDATE variants SET slug = 'other' WHERE id = NEW.id; END`.execute(db),
    );
    await expectRefusal(/^In sqlite:.*to other variants arrived than were sent\. Nothing was/);
    await inRegistry(to, async ({ applications }) => {
      expect(await applications.list("default")).toEqual([]);
    });
  });

  it("refuses what has something in it already, and leaves it as it is", async () => {
    await fill();
    await inRegistry(to, ({ projects }) => projects.create("team-b"));
    await expectRefusal(/^sqlite:.*to has projects already\. Copy into a registry that no server/);
    const target = await postgres.createDatabase();
    await copy(from, target);
    await expectRefusal(
      /^postgres:.* has applications, variants, and environments already\. .*TRUNCATE agate\.pr/,
      { to: target },
    );
    await postgres.query(target, "TRUNCATE agate.projects CASCADE");
    await copy(from, target);
  });

  it("refuses a source that is not there, and makes none", async () => {
    await expectRefusal(/^There is no registry\.db in .*from\. Name the folder/);
    expect(existsSync(from.directory)).toBe(false);
    const empty = await postgres.createDatabase();
    await expectRefusal(/^There is no registry of Agate in postgres:.*\. Name the database/, {
      from: empty,
    });
    const schema = "SELECT to_regnamespace('agate') AS schema";
    expect(await postgres.query(empty, schema)).toEqual([{ schema: null }]);
    await expectRefusal(/^There is no database at postgres:/, { from: postgres.address("no") });
    expect(existsSync(to.directory)).toBe(false);
  });

  it("refuses a copy onto itself, a folder in use, and a registry that is newer", async () => {
    await fill();
    const link = join(folder, "link");
    symlinkSync(from.directory, link);
    await expectRefusal(/the same registry/, { to: { kind: "sqlite", directory: link } });
    const database = await postgres.createDatabase();
    await inRegistry(database, async () => {});
    await using pooler = await startStrictPooler(database);
    await expectRefusal(/the same registry/, { from: database, to: pooler.address });
    for (const { directory } of [from, to]) {
      const held = holdDataDirectory(directory);
      await expectRefusal(/^A running server uses the data directory .* Stop it first/);
      held.release();
    }
    using db = new DatabaseSync(filesIn(from.directory).registry);
    db.exec("PRAGMA user_version = 99");
    await expectRefusal(/newer version of Agate/);
  });
});

describe("REGISTRY_KEYS", () => {
  /** Of each table: its columns. Without what a database keeps for itself. */
  function columnsOf(rows: readonly { table: string; column: string }[]) {
    const own = rows.filter(
      ({ table }) =>
        !/migration|^sqlite_|^build_archives$|^access_version$|^deploy_leases$/.test(table),
    );
    return Object.fromEntries(
      [...Map.groupBy(own, ({ table }) => table)].map(([table, columns]) => [
        table,
        columns.map(({ column }) => column).sort(),
      ]),
    );
  }

  it("has every table of both databases, which have the same columns", async () => {
    const inSqlite = await inRegistry(from, async (_, { db }) => {
      const { rows } = await sql<{ table: string; column: string }>`
        SELECT t.name AS "table", c.name AS "column"
        FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table'`.execute(db);
      return columnsOf(rows);
    });
    const database = await postgres.createDatabase();
    await inRegistry(database, async () => {});
    const rows = await postgres.query<{ table: string; column: string }>(
      database,
      `SELECT table_name AS "table", column_name AS "column"
       FROM information_schema.columns WHERE table_schema = 'agate'`,
    );
    expect(Object.keys(inSqlite).sort()).toEqual(Object.keys(REGISTRY_KEYS).sort());
    expect(columnsOf(rows)).toEqual(inSqlite);
  });
});
