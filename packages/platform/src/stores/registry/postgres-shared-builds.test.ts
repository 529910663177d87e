import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { PostgresAddress } from "../store-address.ts";
import { RegistryUnavailableError } from "../store-errors.ts";
import type { PostgresServer } from "../testing/embedded-postgres.fixture.ts";
import { startPostgres } from "../testing/shared-databases.fixture.ts";
import { openPostgresRegistry } from "./open-postgres-registry.ts";
import { createPostgresDeployLeases } from "./postgres-shared-builds.ts";
import type { RegistryDatabase } from "./registry-tables.ts";

let server: PostgresServer;
let address: PostgresAddress;
let registry: Awaited<ReturnType<typeof openPostgresRegistry>>;
let db: RegistryDatabase;
beforeAll(async () => {
  server = await startPostgres();
  address = await server.createDatabase();
  registry = await openPostgresRegistry(address);
  db = registry.db;
  // As an administrator may have set it, only shorter: a pause between two statements ends the session.
  const database = new URL(address.url).pathname.slice(1);
  const limit = "idle_in_transaction_session_timeout = '10ms'";
  await server.query(address, `ALTER DATABASE ${database} SET ${limit}`);
});
afterAll(async () => {
  await registry.signals.close();
  await db.destroy();
  await server.dispose();
});

const NEVER = new AbortController().signal;

/** Connections that hold a lock. */
async function holders(): Promise<number[]> {
  const rows = await server.query<{ pid: number }>(
    address,
    `SELECT pid FROM pg_locks JOIN pg_database ON pg_database.oid = database
     WHERE locktype = 'advisory' AND granted AND datname = current_database()`,
  );
  return rows.map(({ pid }) => pid);
}

it("gives turns of an application one after the other, to whichever replica", async () => {
  const replicas = [
    createPostgresDeployLeases(address, db),
    createPostgresDeployLeases(address, db),
  ];
  let running = 0;
  let turns = 0;
  await Promise.all(
    Array.from({ length: 6 }, async (_, n) => {
      await using _turn = await replicas[n % 2]?.acquireLease("app_1", NEVER);
      expect(++running).toBe(1);
      await delay(5);
      running--;
      turns++;
    }),
  );
  expect(turns).toBe(6);
  expect(await holders()).toEqual([]);
});

it("lets those of several applications be", async () => {
  const turns = createPostgresDeployLeases(address, db);
  await using _first = await turns.acquireLease("app_1", NEVER);
  await using second = await turns.tryLease("app_2");
  expect(second).toBeDefined();
  expect(await turns.tryLease("app_1")).toBeUndefined();
});

it("gives up waiting when it is told to", async () => {
  const turns = createPostgresDeployLeases(address, db);
  await using _held = await turns.acquireLease("app_1", NEVER);
  const stopping = new AbortController();
  const waiting = turns.acquireLease("app_1", stopping.signal);
  const reason = new Error("The platform stops");
  stopping.abort(reason);
  await expect(waiting).rejects.toBe(reason);
  expect(await holders()).toHaveLength(1);
});

it("gives the turn to another when its connection is gone", async () => {
  const turns = createPostgresDeployLeases(address, db);
  const lost = await turns.acquireLease("app_1", NEVER);
  const [pid] = await holders();
  await server.query(address, "SELECT pg_terminate_backend($1)", [pid]);
  {
    await using _next = await turns.acquireLease("app_1", NEVER);
    // What is lost is given back without a word, and takes nothing from the other.
    await lost[Symbol.asyncDispose]();
    expect(await holders()).toHaveLength(1);
  }
  expect(await holders()).toEqual([]);
});

it("gives a turn back though the database has fallen silent", async () => {
  const turn = await createPostgresDeployLeases(address, db).acquireLease("app_1", NEVER);
  {
    using _silence = await server.fallSilent();
    await turn[Symbol.asyncDispose]();
  }
  await expect.poll(holders).toEqual([]);
});

it("says that the database cannot be reached", async () => {
  const turns = createPostgresDeployLeases(
    { ...address, url: "postgres://agate@127.0.0.1:1/agate" },
    db,
  );
  await expect(turns.tryLease("app_1")).rejects.toThrow(RegistryUnavailableError);
  await expect(turns.acquireLease("app_1", NEVER)).rejects.toThrow(
    "The database cannot be reached.",
  );
});

/** A turn whose server hangs: its connection is open, and nothing renews its lease. */
async function hangingTurn(limits: { leaseMs: number; newcomerMs: number }) {
  const turn = await createPostgresDeployLeases(address, db, limits).acquireLease("app_2", NEVER);
  // The next renewal would be in leaseMs / 3.
  await server.query(address, "UPDATE agate.deploy_leases SET until = now() WHERE token = $1", [
    turn.token,
  ]);
  return turn;
}

it("takes the turn of a server that hangs, with a higher token", async () => {
  const hung = await hangingTurn({ leaseMs: 3_600_000, newcomerMs: 0 });
  const turns = createPostgresDeployLeases(address, db, { newcomerMs: 0 });
  {
    await using next = await turns.acquireLease("app_2", NEVER);
    expect(next.token).toBeGreaterThan(hung.token);
    await hung[Symbol.asyncDispose]();
    expect(await turns.tryLease("app_2")).toBeUndefined();
  }
  await using after = await turns.tryLease("app_2");
  expect(after).toBeDefined();
});

it("deletes turns that ended an hour ago, and gives out none of their tokens again", async () => {
  const turns = createPostgresDeployLeases(address, db);
  const take = async (key: string) => {
    await using turn = await turns.acquireLease(key, NEVER);
    return turn.token;
  };
  const kept = async () =>
    (
      await server.query<{ application_id: string }>(
        address,
        "SELECT application_id FROM agate.deploy_leases WHERE application_id LIKE 'bld_%' ORDER BY 1",
      )
    ).map(({ application_id }) => application_id);
  const endedSince = (key: string, minutes: number) =>
    server.query(
      address,
      `UPDATE agate.deploy_leases SET until = now() - interval '${minutes} minutes'
       WHERE application_id = '${key}'`,
    );
  const first = await take("bld_1");
  await take("bld_2");
  await take("bld_3");
  await endedSince("bld_1", 61);
  await endedSince("bld_2", 59);
  // The highest token stays, however old it is.
  await endedSince("bld_3", 600);
  await using _held = await turns.acquireLease("bld_4", NEVER);
  expect(await kept()).toEqual(["bld_2", "bld_3", "bld_4"]);
  expect(await take("bld_1")).toBeGreaterThan(first);
  expect(await kept()).toEqual(["bld_1", "bld_2", "bld_4"]);
});

it("leaves a turn alone that is renewed, and one that has just begun", async () => {
  const impatient = createPostgresDeployLeases(address, db, { newcomerMs: 0 });
  {
    await using _renewed = await createPostgresDeployLeases(address, db, {
      leaseMs: 60_000,
    }).acquireLease("app_3", NEVER);
    for (let n = 0; n < 5; n++) expect(await impatient.tryLease("app_3")).toBeUndefined();
    expect(await holders()).toHaveLength(1);
  }
  await using _new = await hangingTurn({ leaseMs: 3_600_000, newcomerMs: 0 });
  const patient = createPostgresDeployLeases(address, db, { newcomerMs: 3_600_000 });
  for (let n = 0; n < 5; n++) expect(await patient.tryLease("app_2")).toBeUndefined();
  expect(await holders()).toHaveLength(1);
});
