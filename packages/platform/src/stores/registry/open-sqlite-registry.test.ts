import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Kysely } from "kysely";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openRegistry } from "../../registry/open-registry.ts";
import type { Registry } from "../../registry/registry.ts";
import { filesIn } from "../sqlite/data-directory.ts";
import { DataDirectoryError } from "../sqlite/sqlite-errors.ts";
import { RegistryUnavailableError } from "../store-errors.ts";
import { openRegistryDatabase } from "./open-registry-database.ts";
import { openSqliteRegistry, REGISTRY_APPLICATION_ID } from "./open-sqlite-registry.ts";
import { SQLITE_REGISTRY_MIGRATIONS } from "./registry-migrations.ts";
import { LocalSignals } from "./registry-signals.ts";
import type { RegistryDatabase } from "./registry-tables.ts";

const APP = { project: "default", application: "support" };

let directory: string;
let file: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "agate-registry-"));
  file = filesIn(directory).registry;
});
afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

/** The one sentence that the file is refused with; it must be as it was. */
async function refusal(): Promise<string> {
  const before = readFileSync(file);
  const error = await openSqliteRegistry(directory).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(DataDirectoryError);
  expect(readFileSync(file).equals(before)).toBe(true);
  return (error as Error).message;
}

/** Does something with the file as another program would. */
function withFile(work: (db: DatabaseSync) => void): void {
  const db = new DatabaseSync(file);
  work(db);
  db.close();
}

async function fill(): Promise<void> {
  const registry = await openRegistry(await openRegistryDatabase({ kind: "sqlite", directory }));
  await registry.applications.create("default", "support");
  await registry.variants.create(APP, "default");
  for (let baseRevision = 0; baseRevision < 50; baseRevision++) {
    await commit(registry, baseRevision, 2000);
  }
  await registry.close();
}

function commit(registry: Registry, baseRevision: number, size: number) {
  const params = { "/": { text: "x".repeat(size) } };
  return registry.revisions.commit(APP, "default", { by: "a", message: "", params, baseRevision });
}

async function latestRevision(registry: Registry): Promise<number | undefined> {
  const variant = await registry.variants.get(APP, "default");
  return variant.kind === "done" ? variant.value.latest_revision : undefined;
}

describe("openSqliteRegistry", () => {
  it("makes a file whose commits reach the disk, and whose references hold", async () => {
    const db = await openSqliteRegistry(directory);
    const pragmas = ["journal_mode", "synchronous", "foreign_keys", "user_version"];
    const values = await Promise.all(
      pragmas.map(async (name) => (await sql.raw(`PRAGMA ${name}`).execute(db)).rows[0]),
    );
    expect(values).toEqual([
      { journal_mode: "wal" },
      { synchronous: 2 },
      { foreign_keys: 1 },
      { user_version: Object.keys(SQLITE_REGISTRY_MIGRATIONS).length },
    ]);
    await db.destroy();
    expect(readFileSync(file).readUInt32BE(68)).toBe(REGISTRY_APPLICATION_ID);
    // The log was moved into the file: nothing is left beside it.
    expect(readdirSync(directory)).toEqual(["registry.db"]);
  });

  it("refuses a file that is no database", async () => {
    writeFileSync(file, "not a database at all, but rather long ".repeat(9));
    expect(await refusal()).toMatch(/is not a database, or is damaged\. It was left as it is/);
  });

  it("refuses another program's database, and Agate's own of another kind", async () => {
    withFile((db) => db.exec("CREATE TABLE t (x)"));
    expect(await refusal()).toMatch(/is a database of another program/);
    rmSync(file);
    withFile((db) => db.exec("PRAGMA application_id = 0x41474154; PRAGMA user_version = 1"));
    expect(await refusal()).toMatch(/is a database of another program/);
  });

  it("refuses a file of a newer version, also if only its log has the version", async () => {
    await fill();
    const db = new DatabaseSync(file);
    db.exec("PRAGMA user_version = 1000");
    expect(await refusal()).toMatch(/was written by a newer version of Agate \(schema 1000;/);
    db.close();
    expect(await refusal()).toMatch(/It was left as it is: upgrade Agate/);
  });

  it("refuses a truncated file, and one whose pages were overwritten", async () => {
    await fill();
    const whole = readFileSync(file);
    truncateSync(file, Math.floor(statSync(file).size / 8192) * 4096);
    expect(await refusal()).toMatch(/is damaged .*Nothing was changed/);
    writeFileSync(file, Buffer.from(whole).fill(0xff, 100, 4096));
    expect(await refusal()).toMatch(/is damaged/);
    writeFileSync(file, whole);
    const registry = await openRegistry(await openRegistryDatabase({ kind: "sqlite", directory }));
    expect(await latestRevision(registry)).toBe(50);
    await registry.close();
  });

  it.each([
    ["empty", () => writeFileSync(file, "")],
    ["without tables", () => withFile((db) => db.exec("PRAGMA journal_mode = WAL"))],
    [
      "marked, and without tables",
      () => withFile((db) => db.exec(`PRAGMA application_id = ${REGISTRY_APPLICATION_ID}`)),
    ],
  ])("goes on with a file that a killed server left %s", async (_, leave) => {
    leave();
    await fill();
  });

  it("migrates an older file and keeps what is in it", async () => {
    await fill();
    const next = {
      ...SQLITE_REGISTRY_MIGRATIONS,
      "9999-stars": {
        up: (db: Kysely<unknown>) =>
          db.schema.alterTable("revisions").addColumn("starred", "integer").execute(),
      },
    };
    await (await openSqliteRegistry(directory, next)).destroy();
    withFile((db) => {
      const row = db.prepare("SELECT count(*) AS n, max(starred) AS starred FROM revisions").get();
      expect(row).toEqual({ n: 50, starred: null });
    });
    expect(await refusal()).toMatch(/newer version/);
  });

  it("lets keys with admin from before there was a scope deploy deploy as they did", async () => {
    const names = Object.keys(SQLITE_REGISTRY_MIGRATIONS);
    const before = Object.fromEntries(
      Object.entries(SQLITE_REGISTRY_MIGRATIONS).slice(0, names.indexOf("0005-deploy-scope")),
    );
    await (await openSqliteRegistry(directory, before)).destroy();
    withFile((db) => {
      db.exec("INSERT INTO projects VALUES ('p', 'p', '2026-01-01T00:00:00.000Z')");
      const insert = db.prepare(
        "INSERT INTO api_keys VALUES (?, 'p', 'ci', 'ag_', ?, ?, '2026-01-01T00:00:00.000Z', NULL)",
      );
      insert.run("a", "hash a", '["read","admin"]');
      insert.run("b", "hash b", '["ingest","read","run"]');
    });
    await (await openSqliteRegistry(directory)).destroy();
    withFile((db) => {
      const rows = db.prepare("SELECT scopes FROM api_keys ORDER BY id").all();
      expect(rows.map(({ scopes }) => JSON.parse(String(scopes)))).toEqual([
        ["read", "deploy", "admin"],
        ["ingest", "read", "run", "playground"],
      ]);
    });
  });

  it("lets keys with run from before there was a scope playground call the playground", async () => {
    const names = Object.keys(SQLITE_REGISTRY_MIGRATIONS);
    const before = Object.fromEntries(
      Object.entries(SQLITE_REGISTRY_MIGRATIONS).slice(0, names.indexOf("0011-key-limits")),
    );
    await (await openSqliteRegistry(directory, before)).destroy();
    withFile((db) => {
      db.exec("INSERT INTO projects VALUES ('p', 'p', '2026-01-01T00:00:00.000Z')");
      const insert = db.prepare(
        "INSERT INTO api_keys VALUES (?, 'p', 'ci', 'ag_', ?, ?, '2026-01-01T00:00:00.000Z', NULL)",
      );
      insert.run("a", "hash a", '["read","run","admin"]');
      insert.run("b", "hash b", '["read","admin"]');
    });
    await (await openSqliteRegistry(directory)).destroy();
    withFile((db) => {
      const rows = db.prepare("SELECT scopes, environments FROM api_keys ORDER BY id").all();
      expect(rows).toEqual([
        { scopes: '["read","run","playground","admin"]', environments: null },
        { scopes: '["read","admin"]', environments: null },
      ]);
    });
  });

  it("leaves the old version whole when a migration fails", async () => {
    await fill();
    const broken = {
      ...SQLITE_REGISTRY_MIGRATIONS,
      "9998-half": {
        async up(db: Kysely<unknown>) {
          await db.schema.alterTable("revisions").addColumn("starred", "integer").execute();
        },
      },
      "9999-broken": {
        async up(db: Kysely<unknown>) {
          await db.schema.dropTable("revisions").execute();
          await sql`nonsense`.execute(db);
        },
      },
    };
    await expect(openSqliteRegistry(directory, broken)).rejects.toThrow(DataDirectoryError);
    const registry = await openRegistry(await openRegistryDatabase({ kind: "sqlite", directory }));
    expect(await latestRevision(registry)).toBe(50);
    await registry.close();
  });
});

describe("a registry in SQLite that cannot be written now", () => {
  let db: RegistryDatabase;
  let registry: Registry;
  beforeEach(async () => {
    await fill();
    db = await openSqliteRegistry(directory);
    registry = await openRegistry({ db, signals: new LocalSignals() });
  });
  afterEach(() => registry.close());

  async function reasonOf(work: Promise<unknown>): Promise<string> {
    const error = await work.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(RegistryUnavailableError);
    return (error as RegistryUnavailableError).reason;
  }

  it("says that the disk is full, keeps nothing, and goes on when there is room", async () => {
    const { rows } = await sql<{ page_count: number }>`PRAGMA page_count`.execute(db);
    await sql.raw(`PRAGMA max_page_count = ${rows[0]?.page_count}`).execute(db);
    const announced: string[] = [];
    const application = await registry.applications.get(APP);
    if (application.kind === "done") {
      registry.changes.subscribe(application.value.id, () => announced.push("change"));
    }
    expect(await reasonOf(commit(registry, 50, 100_000))).toBe("The disk is full.");
    expect(await latestRevision(registry)).toBe(50);
    expect(announced).toEqual([]);
    await sql.raw("PRAGMA max_page_count = 1000000").execute(db);
    expect(await commit(registry, 50, 100_000)).toMatchObject({ kind: "done" });
    expect(announced).toEqual(["change"]);
  });

  it("says that another program has locked the file, and goes on when it is done", async () => {
    const other = new DatabaseSync(file);
    other.exec("BEGIN IMMEDIATE");
    expect(await reasonOf(commit(registry, 50, 10))).toBe(
      "The database is locked by another program.",
    );
    expect(await latestRevision(registry)).toBe(50);
    other.exec("ROLLBACK");
    other.close();
    expect(await commit(registry, 50, 10)).toMatchObject({ kind: "done" });
  });
});
