import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { PostgresAddress } from "../store-address.ts";
import { StoreUnavailableError } from "../store-errors.ts";
import type { PostgresServer } from "../testing/embedded-postgres.fixture.ts";
import { startPostgres } from "../testing/shared-databases.fixture.ts";
import type { WatchdogTimeouts } from "./connection-watchdog.ts";
import { ConnectionWatchdog, SocketGroup } from "./connection-watchdog.ts";
import { SpanDatabase } from "./span-database.ts";

let server: PostgresServer;
let address: PostgresAddress;
let database: SpanDatabase;
beforeAll(async () => {
  server = await startPostgres();
  address = await server.createDatabase();
  database = new SpanDatabase(address, { connections: 1, statementMs: 10_000 });
});
afterAll(async () => {
  await database.close();
  await server.dispose();
});

it("goes on after a connection broke between two statements of a transaction", async () => {
  const broken = database.transaction(async (transaction) => {
    const [row] = await transaction.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
    const pid = [row?.pid];
    await server.query(address, "SELECT pg_terminate_backend($1)", pid);
    await expect
      .poll(() => server.query(address, "SELECT FROM pg_stat_activity WHERE pid = $1", pid))
      .toEqual([]);
    return transaction.query("SELECT 1 AS one");
  });
  await expect(broken).rejects.toThrow(StoreUnavailableError);
  expect(await database.query("SELECT 1 AS one")).toEqual([{ one: 1 }]);
});

describe("a statement whose client has disconnected", () => {
  const running = () =>
    server.query(
      address,
      "SELECT query FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'SELECT pg_sleep%'",
    );
  const work: [string, (signal: AbortSignal) => Promise<unknown>][] = [
    ["alone", (signal) => database.until(signal).query("SELECT pg_sleep(600)")],
    [
      "of a transaction",
      (signal) =>
        database.transaction(({ query }) => query("SELECT pg_sleep(600)"), "BEGIN", signal),
    ],
  ];
  it.each(work)("is cancelled in the database, %s", async (_, run) => {
    const gone = new AbortController();
    const left = run(gone.signal);
    const outcome = expect(left).rejects.toThrow("the client has gone");
    await expect.poll(running).toHaveLength(1);
    gone.abort(new Error("the client has gone"));
    await outcome;
    await expect.poll(running).toHaveLength(0);
    // Of the only connection: another statement is not hit by it.
    expect(await database.query("SELECT 1 AS one")).toEqual([{ one: 1 }]);
    await expect(run(gone.signal)).rejects.toThrow("the client has gone");
  });
});

describe("a database that says nothing", () => {
  let lonely: PostgresAddress;
  beforeAll(async () => {
    lonely = await server.createDatabase();
  });

  const openImpatient = (timeouts: WatchdogTimeouts) =>
    new SpanDatabase(lonely, { connections: 2, statementMs: 60_000, timeouts });

  it("counts as unresponsive when it does not answer another connection either", async () => {
    const impatient = openImpatient({ probeAfter: 50, probeTimeout: 500 });
    await impatient.query("SELECT");
    {
      using _silence = await server.fallSilent();
      const waiting = await Promise.allSettled([
        impatient.query("SELECT"),
        impatient.transaction((transaction) => transaction.query("SELECT")),
      ]);
      expect(waiting).toMatchObject(
        Array(2).fill({ reason: { reason: "The database does not answer." } }),
      );
    }
    expect(await impatient.query("SELECT 1 AS one")).toEqual([{ one: 1 }]);
    await impatient.close();
  });

  it("may take long over a statement while it answers the probe", async () => {
    const impatient = openImpatient({ probeAfter: 10, probeTimeout: 10_000 });
    // Until the watchdog has probed.
    await impatient.query(`
      DO $$ BEGIN
        WHILE NOT EXISTS (SELECT FROM pg_stat_activity
          WHERE datname = current_database() AND pid <> pg_backend_pid())
        LOOP
          PERFORM pg_stat_clear_snapshot();
        END LOOP;
      END $$`);
    await impatient.close();
  });

  it("may take long, too, when the probe itself fails", async () => {
    const url = `${lonely.url}?sslmode=verify-full&sslrootcert=/nowhere`;
    const watch = new ConnectionWatchdog({ ...lonely, url }, new SocketGroup(), {
      probeAfter: 1,
      probeTimeout: 10_000,
    });
    const slept = await watch.during(() => server.query(lonely, "SELECT FROM pg_sleep(0.05)"));
    expect(slept).toHaveLength(1);
  });
});
