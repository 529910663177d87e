import { afterAll, beforeAll, expect, it } from "vitest";
import { spanIdOf, storedSpan } from "../contract/stored-span.fixture.ts";
import type { SpanStore, TraceChange } from "../span-store.ts";
import type { PostgresDatabases } from "../testing/embedded-postgres.fixture.ts";
import { sharedPostgres } from "../testing/shared-databases.fixture.ts";
import { openPostgresStore } from "./postgres-store.ts";
import type { SqlRunner } from "./span-database.ts";
import { SpanDatabase } from "./span-database.ts";
import { TraceWatch } from "./trace-watch.ts";

const TRACE = "0123456789abcdef0123456789abcdef";

let server: PostgresDatabases;
let store: SpanStore;
let database: SpanDatabase;
beforeAll(async () => {
  server = await sharedPostgres();
  const address = await server.createDatabase();
  store = await openPostgresStore({ address, onFailure: (error) => expect.fail(String(error)) });
  database = new SpanDatabase(address, { connections: 2, statementMs: 10_000 });
});
afterAll(async () => {
  await database.close();
  await store.close();
});

async function append(span: number): Promise<void> {
  const spans = [storedSpan({ traceId: TRACE, id: spanIdOf(span) })];
  const outcome = await store.append({ project: "p", receivedAt: 0, spans });
  expect(outcome).toEqual({ kind: "committed" });
}

it("tells of a new trace as new, though it is written to again while it is looked at", async () => {
  let snapshots = 0;
  const busy: SqlRunner = {
    async query(text, values, name) {
      const isSecond = text.includes("pg_current_snapshot") && ++snapshots === 2;
      if (isSecond) await append(1);
      const rows = await database.query<never>(text, values, name);
      if (isSecond) await append(2);
      return rows;
    },
  };
  const told: TraceChange[] = [];
  const watch = new TraceWatch(busy, (error) => expect.fail(String(error)));
  await watch.watch((changes) => told.push(...changes)).ready;
  await expect.poll(() => told).toHaveLength(2);
  await watch.close();
  expect(told).toEqual([
    { project: "p", traceId: TRACE, isNew: true },
    { project: "p", traceId: TRACE, isNew: false },
  ]);
});
