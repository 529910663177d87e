import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { OpenRegistryDatabase } from "../stores/registry/open-registry-database.ts";
import { openRegistryDatabase } from "../stores/registry/open-registry-database.ts";
import type { RegistryDatabase } from "../stores/registry/registry-tables.ts";
import type { PostgresServer } from "../stores/testing/embedded-postgres.fixture.ts";
import { startPostgres } from "../stores/testing/shared-databases.fixture.ts";
import { newApiKeyText } from "./api-key-text.ts";
import type { Caller } from "./caller.ts";
import type { OpenAccess } from "./open-access.ts";
import { openAccess } from "./open-access.ts";

interface Replica {
  readonly database: OpenRegistryDatabase;
  readonly access: OpenAccess;
  /** Milliseconds since 1970. */
  readonly clock: { now: number };
  readonly failures: unknown[];
}

/** Where all is busy. */
const SOON = { timeout: 15_000 };
const NOON = Date.parse("2026-11-15T12:00:30.000Z");

let server: PostgresServer;
let here: Replica;
let there: Replica;
beforeAll(async () => {
  server = await startPostgres();
  const address = await server.createDatabase();
  const open = async (): Promise<Replica> => {
    const database = await openRegistryDatabase(address);
    const clock = { now: NOON };
    const failures: unknown[] = [];
    const access = await openAccess({
      ...database,
      policy: "keys",
      rateLimit: 0,
      onInvalidKeys: () => {},
      onSaveFailed: (error) => failures.push(error),
      onReloadFailed: (error) => failures.push(error),
      now: () => clock.now,
    });
    return { database, access, clock, failures };
  };
  here = await open();
  there = await open();
  await addProject("default");
});
afterAll(async () => {
  for (const { access, database } of [here, there]) {
    await access.close();
    await database.signals.close();
    await database.db.destroy();
  }
  await server.dispose();
});

/** Access of a replica that no signal reaches. */
async function openLate(): Promise<Pick<Replica, "access" | "clock">> {
  const clock = { now: NOON };
  const access = await openAccess({
    db: there.database.db,
    signals: { areShared: true, subscribe: () => () => {} },
    policy: "keys",
    rateLimit: 0,
    onInvalidKeys: () => {},
    onSaveFailed: (error) => there.failures.push(error),
    onReloadFailed: (error) => there.failures.push(error),
    now: () => clock.now,
  });
  return { access, clock };
}

async function addProject(id: string): Promise<void> {
  const project = { id, slug: id, created_at: "2026-11-15T10:00:00.000Z" };
  await here.database.db.insertInto("projects").values(project).execute();
}

/** A database whose next queries fail, as those over a connection that has stalled do. */
function failingFor(queries: number, db: RegistryDatabase): RegistryDatabase {
  let left = queries;
  return new Proxy(db, {
    get(target, name) {
      if (name === "selectFrom" && left-- > 0) throw new Error("The connection has stalled.");
      const value = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** Who a replica takes the sender of a key for: the caller, or why it is none. */
function callerBy({ access }: Replica, key: string, project?: string): Caller | string {
  const found = access.control.authenticate({ authorization: `Bearer ${key}`, project });
  return found.kind === "caller" ? found.caller : found.kind;
}

function lastUse(replica: Replica, id: string): Promise<string | null | undefined> {
  return replica.access.keys
    .list("default")
    .then((keys) => keys.find((key) => key.id === id)?.last_used_at);
}

const KEY = { name: "ci", scopes: ["read"] } as const;

describe("access through several replicas", () => {
  it("is given by a key that was made through another, until it is revoked there", async () => {
    const { key, id } = await here.access.keys.create("default", KEY);
    await expect.poll(() => callerBy(there, key), SOON).toMatchObject({ name: "ci" });
    const caller = callerBy(there, key);
    expect(caller).toMatchObject({ revocation: { isRevoked: false } });
    expect(await here.access.keys.revoke("default", id)).toBe("revoked");
    expect(callerBy(here, key)).toBe("key-invalid");
    await expect.poll(() => callerBy(there, key), SOON).toBe("key-invalid");
    // Streams that were opened with it end.
    expect(caller).toMatchObject({ revocation: { isRevoked: true } });
  });

  it("is given at once to who brings what another replica has just made", async () => {
    // Signals come late here.
    const { access } = await openLate();
    const { key } = await here.access.keys.create("default", KEY);
    const credentials = { authorization: `Bearer ${key}`, project: undefined };
    expect(access.control.authenticate(credentials).kind).toBe("key-invalid");
    await access.lookUp?.(credentials);
    expect(access.control.authenticate(credentials)).toMatchObject({ caller: { name: "ci" } });
    expect(access.lookUp?.(credentials)).toBeUndefined();
    await addProject("made");
    const inProject = { authorization: undefined, project: "made" };
    await access.lookUp?.(inProject);
    expect(access.lookUp?.(inProject)).toBeUndefined();
    await access.close();
  });

  it("has sessions that hold on all, at once, until they are signed out on one", async () => {
    const { key } = await here.access.keys.create("default", KEY);
    const session = (await here.access.sessions.create(key)) ?? "";
    const callerIn = (access: OpenAccess) => {
      const found = access.control.authenticate({
        authorization: undefined,
        session,
        project: undefined,
      });
      return found.kind === "caller" ? found.caller : found.kind;
    };
    const { access: late } = await openLate();
    await late.lookUp?.({ authorization: undefined, session, project: undefined });
    expect(callerIn(late)).toMatchObject({ name: "ci" });
    await late.close();
    await expect.poll(() => callerIn(there.access), SOON).toMatchObject({ name: "ci" });
    await there.access.sessions.end(session);
    expect(callerIn(there.access)).toBe("key-invalid");
    await expect.poll(() => callerIn(here.access), SOON).toBe("key-invalid");
    expect(callerBy(here, key)).toMatchObject({ name: "ci" });
  });

  it("limits how often unknown credentials query the database", async () => {
    const { access, clock } = await openLate();
    const asked = () => {
      const { key: authorization } = newApiKeyText();
      return access.lookUp?.({ authorization: `Bearer ${authorization}`, project: undefined });
    };
    const first = Array.from({ length: 1000 }, asked).filter((one) => one !== undefined);
    expect(first).toHaveLength(40);
    expect(
      access.lookUp?.({ authorization: "Bearer nonsense", project: undefined }),
    ).toBeUndefined();
    clock.now += 1000;
    const second = Array.from({ length: 1000 }, asked).filter((one) => one !== undefined);
    expect(second).toHaveLength(20);
    await Promise.all([...first, ...second]);
    await access.close();
  });

  it("knows projects that were made and renamed elsewhere", async () => {
    const { key } = await here.access.keys.create("default", KEY);
    await here.database.db
      .updateTable("projects")
      .set({ slug: "renamed" })
      .where("id", "=", "default")
      .execute();
    await expect
      .poll(() => callerBy(there, key, "renamed"), SOON)
      .toMatchObject({ project: "default" });
  });

  it("catches up when the database was away", async () => {
    const { key, id } = await here.access.keys.create("default", KEY);
    await expect.poll(() => callerBy(there, key), SOON).toMatchObject({ name: "ci" });
    await server.stop();
    // It goes on from memory.
    expect(callerBy(there, key)).toMatchObject({ name: "ci" });
    await server.start();
    await expect
      .poll(() => here.access.keys.revoke("default", id).catch(() => "away"), SOON)
      .toBe("revoked");
    await expect.poll(() => callerBy(there, key), SOON).toBe("key-invalid");
  });

  it("notes the last use, which never goes back", async () => {
    const { key, id } = await here.access.keys.create("default", KEY);
    await expect.poll(() => callerBy(there, key), SOON).toMatchObject({ name: "ci" });
    callerBy(here, key);
    there.clock.now = NOON + 5 * 60_000;
    callerBy(there, key);
    await there.access.close();
    expect(await lastUse(here, id)).toBe("2026-11-15T12:05:00.000Z");
    await here.access.close();
    expect(await lastUse(there, id)).toBe("2026-11-15T12:05:00.000Z");
    const rows = await here.database.db
      .selectFrom("api_keys")
      .select("last_used_at")
      .where("id", "=", id)
      .execute();
    expect(rows).toEqual([{ last_used_at: "2026-11-15T12:05:00.000Z" }]);
  });

  it("takes any text for the id of a key", async () => {
    for (const id of ["", "\0", "key_\0", "\ud800", "key_aaaaaaaaaaaaaaaaaaaa"]) {
      expect(await here.access.keys.revoke("default", id)).toBe("missing");
    }
  });
});

describe("redaction rules", () => {
  const RULES = '{"keys":["password"],"patterns":[],"custom":[]}';
  const write = (rules: string) => {
    const row = { rules, updated_at: "2026-11-15T12:00:00.000Z", updated_by: "tests" };
    return here.database.db
      .insertInto("redaction_rules")
      .values({ project_id: "default", ...row })
      .onConflict((conflict) => conflict.column("project_id").doUpdateSet(row))
      .execute();
  };

  it("that were set elsewhere apply here, are changed and removed, also where no signal comes", async () => {
    const options = {
      ...there.database,
      policy: "keys",
      rateLimit: 0,
      onInvalidKeys: () => {},
      onSaveFailed: (error: unknown) => there.failures.push(error),
      onReloadFailed: (error: unknown) => there.failures.push(error),
    } as const;
    const silent = { areShared: true, subscribe: () => () => {} };
    const opened = [
      await openAccess({ ...options, accessVersion: null }),
      await openAccess({ ...options, signals: silent }),
    ];
    const both = () => opened.map((access) => access.redactionOf("default"));
    expect(both()).toEqual([null, null]);
    await write(RULES);
    await expect.poll(both, SOON).toEqual([RULES, RULES]);
    const others = RULES.replace("password", "token");
    await write(others);
    await expect.poll(both, SOON).toEqual([others, others]);
    // Rules without any are none: ingest need not look at its spans.
    await write('{"keys":[],"patterns":[],"custom":[]}');
    await expect.poll(both, SOON).toEqual([null, null]);
    await write(RULES);
    await expect.poll(both, SOON).toEqual([RULES, RULES]);
    await here.database.db.deleteFrom("redaction_rules").execute();
    await expect.poll(both, SOON).toEqual([null, null]);
    for (const access of opened) await access.close();
  });
});

it.each([
  ["once, though the other pool does not answer", 1, 99],
  ["for good, by the other pool", 99, 0],
])("reads what has changed when the connection of its own stalls %s", async (_, own, other) => {
  const { db, watchDb } = there.database;
  const access = await openAccess({
    db: failingFor(other, db),
    watchDb: failingFor(own, watchDb),
    signals: { areShared: true, subscribe: () => () => {} },
    policy: "keys",
    rateLimit: 0,
    onInvalidKeys: () => {},
    onSaveFailed: (error) => there.failures.push(error),
    onReloadFailed: (error) => there.failures.push(error),
  });
  await access.close();
});
