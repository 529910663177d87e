import { Client } from "pg";
import { beforeAll, expect, it } from "vitest";
import { spanIdOf, storedSpan, traceIdOf } from "../contract/stored-span.fixture.ts";
import { QueryAbandonedError } from "../query-lane.ts";
import type { SpanStore } from "../span-store.ts";
import type { PostgresAddress } from "../store-address.ts";
import type { PostgresDatabases } from "../testing/embedded-postgres.fixture.ts";
import { sharedPostgres } from "../testing/shared-databases.fixture.ts";
import { openPostgresStore } from "./postgres-store.ts";

const FOCUS = { kind: "trace", traceId: traceIdOf(1) } as const;

let server: PostgresDatabases;
beforeAll(async () => {
  server = await sharedPostgres();
});

/** Statements that wait for the lock. */
async function waiting(address: PostgresAddress): Promise<number> {
  const rows = await server.query(
    address,
    `SELECT pid FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE 'SELECT segment, header FROM%'`,
  );
  return rows.length;
}

async function openWithTrace(address: PostgresAddress, largeTraceSpans: number) {
  const store = await openPostgresStore({
    address,
    largeTraceSpans,
    onFailure: (error) => expect.fail(String(error)),
  });
  for (const n of [1, 2]) {
    const span = storedSpan({ id: spanIdOf(n), parentId: n === 1 ? null : spanIdOf(1) });
    await store.append({ project: "p", receivedAt: 0, spans: [span] });
  }
  // Or its statements would wait, too.
  await store.searchCaughtUp();
  return store;
}

async function readWhole(store: SpanStore, gone: AbortSignal): Promise<void> {
  const read = await store.readTree("p", FOCUS, () => gone);
  if (read.kind === "nodes") await read.openRecords([0, 1]);
  if (read.kind === "chunks") for await (const _ of read.chunks);
}

it.each([
  ["in the thread that asks", Number.POSITIVE_INFINITY],
  ["in a thread of its own", 0],
])("cancels the statement of a trace whose client has gone, %s", async (_, largeTraceSpans) => {
  const address = await server.createDatabase();
  const store = await openWithTrace(address, largeTraceSpans);
  const blocker = new Client({ connectionString: address.url });
  await blocker.connect();
  await blocker.query("BEGIN; LOCK TABLE agate.segments IN ACCESS EXCLUSIVE MODE");
  const gone = new AbortController();
  const outcome = expect(readWhole(store, gone.signal)).rejects.toThrow(QueryAbandonedError);
  await expect.poll(() => waiting(address)).toBe(1);
  gone.abort(new QueryAbandonedError("The client has gone"));
  await outcome;
  // The lock is still held: only a cancelled statement waits for it no more.
  await expect.poll(() => waiting(address)).toBe(0);
  await blocker.query("ROLLBACK");
  await blocker.end();
  await readWhole(store, new AbortController().signal);
  await store.close();
});
