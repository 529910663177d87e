import { afterAll, beforeAll, expect, it } from "vitest";
import type { PostgresAddress } from "../store-address.ts";
import { StoreUnavailableError } from "../store-unavailable-error.ts";
import type { PostgresServer } from "../testing/embedded-postgres.fixture.ts";
import { startEmbeddedPostgres } from "../testing/embedded-postgres.fixture.ts";
import { SpanDatabase } from "./span-database.ts";

let server: PostgresServer;
let address: PostgresAddress;
let database: SpanDatabase;
beforeAll(async () => {
  server = await startEmbeddedPostgres();
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
