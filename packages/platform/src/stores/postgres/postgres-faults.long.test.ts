import type { StoredSpan } from "@agate/spans";
import { Client } from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { spanIdOf, storedSpan, traceIdOf } from "../contract/stored-span.fixture.ts";
import type { AppendOutcome, SpanStore } from "../span-store.ts";
import type { PostgresAddress } from "../store-address.ts";
import type { PostgresServer } from "../testing/embedded-postgres.fixture.ts";
import { startPostgres } from "../testing/shared-databases.fixture.ts";
import { openPostgresStore } from "./postgres-store.ts";

const MOST_CONNECTIONS = 20;
const PROJECT = "p";
const SPANS = 200;
const READ = { kind: "trace", traceId: traceIdOf(1) } as const;
const LIST = { project: PROJECT, filter: {}, limit: 1_000, after: null } as const;

let server: PostgresServer;
let address: PostgresAddress;

beforeAll(async () => {
  server = await startPostgres({
    durable: true,
    settings: { max_connections: String(MOST_CONNECTIONS), superuser_reserved_connections: "0" },
  });
});
beforeEach(async () => {
  address = await server.createDatabase();
});
afterAll(() => server.dispose());

const open = (): Promise<SpanStore> =>
  openPostgresStore({ address, onFailure: (error) => expect.fail(String(error)) });

function append(store: SpanStore, spans: readonly StoredSpan[]): Promise<AppendOutcome> {
  return store.append({ project: PROJECT, receivedAt: 0, spans });
}

/** What must hold while the database is away. */
async function expectUnavailable(store: SpanStore): Promise<void> {
  expect(await append(store, [storedSpan({ id: spanIdOf(99) })])).toMatchObject({
    kind: "unavailable",
    reason: expect.stringMatching(/^The .*\.$/),
  });
  expect(await store.deleteTrace(PROJECT, traceIdOf(1))).toMatchObject({ kind: "unavailable" });
  const reads = [
    () => store.readTree(PROJECT, READ),
    () => store.readTops(PROJECT, [traceIdOf(1)]),
    () => store.listTraces(LIST),
    () => store.listSpans(LIST),
    () => store.analytics({ ...LIST, from: 0, to: 1, interval: 1, groups: null }),
    () => store.expire(0, 1),
    () => store.countSpans(),
    () => store.searchCaughtUp(),
    () => store.exportSpans(null)[Symbol.asyncIterator]().next(),
  ];
  for (const read of reads) {
    await expect((async () => read())()).rejects.toMatchObject({ name: "StoreUnavailableError" });
  }
}

describe("spans in PostgreSQL when the database goes away", () => {
  it("is reported in every answer, and the store recovers", async () => {
    const store = await open();
    const seen: string[] = [];
    const watch = store.watch((changes) => seen.push(...changes.map(({ traceId }) => traceId)));
    await watch.ready;
    expect(await append(store, [storedSpan()])).toEqual({ kind: "committed" });
    await server.stop();
    await expectUnavailable(store);
    await server.start();
    await expect
      .poll(() => append(store, [storedSpan({ traceId: traceIdOf(2) })]))
      .toEqual({
        kind: "committed",
      });
    expect(await store.readTree(PROJECT, READ)).toMatchObject({ kind: "frame" });
    await store.searchCaughtUp();
    expect((await store.listTraces(LIST)).items).toHaveLength(2);
    await expect.poll(() => seen.toSorted()).toEqual([traceIdOf(1), traceIdOf(2)]);
    watch.stop();
    await store.close();
  });

  it("loses nothing it has acknowledged, and doubles nothing that is sent again", async () => {
    const store = await open();
    const acknowledged = new Set<number>();
    let refused = 0;
    let next = 0;
    /** Sends spans one after the other, each until it is taken, as an exporter does. */
    const send = async () => {
      while (next < SPANS) {
        const n = next++;
        const span = storedSpan({ traceId: traceIdOf(n % 9), id: spanIdOf(n), name: `span${n}` });
        await expect
          .poll(async () => {
            const { kind } = await append(store, [span]);
            if (kind === "unavailable") refused++;
            return kind;
          })
          .toBe("committed");
        acknowledged.add(n);
      }
    };
    const sending = Promise.all(Array.from({ length: 8 }, send));
    await expect.poll(() => acknowledged.size).toBeGreaterThan(SPANS / 3);
    await server.kill();
    await expect.poll(() => refused).toBeGreaterThan(0);
    await server.start();
    await sending;
    expect(acknowledged.size).toBe(SPANS);
    expect(await store.countSpans()).toEqual([{ project: PROJECT, traces: 9, spans: SPANS }]);
    const { items } = await store.listSpans(LIST);
    expect(new Set(items.map((item) => JSON.parse(item).id)).size).toBe(SPANS);
    await store.searchCaughtUp();
    const found = { ...LIST, filter: { text: `span${SPANS - 1}` } };
    expect((await store.listSpans(found)).items).toHaveLength(1);
    await store.close();
  });

  it("goes on when an administrator ends its connections", async () => {
    const store = await open();
    await append(store, [storedSpan()]);
    await server.query(
      address,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE application_name = 'agate' AND datname = current_database()`,
    );
    await expect
      .poll(async () => (await append(store, [storedSpan({ id: spanIdOf(2) })])).kind)
      .toBe("committed");
    expect((await store.listSpans(LIST)).items).toHaveLength(2);
    await store.searchCaughtUp();
    await store.close();
  });

  it("reports that other clients hold all connections, and recovers", async () => {
    const store = await open();
    await store.searchCaughtUp();
    const others: Client[] = [];
    for (;;) {
      const client = new Client({ connectionString: address.url });
      client.on("error", () => {});
      try {
        await client.connect();
        others.push(client);
      } catch {
        break;
      }
    }
    expect(await append(store, [storedSpan()])).toEqual({
      kind: "unavailable",
      reason: "The database has too many connections.",
    });
    await Promise.all(others.map((client) => client.end()));
    await expect.poll(() => append(store, [storedSpan()])).toEqual({ kind: "committed" });
    await store.close();
  });

  it("reports that all of its own connections are in use", async () => {
    const store = await open();
    await append(store, [storedSpan()]);
    const blocker = new Client({ connectionString: address.url });
    await blocker.connect();
    await blocker.query("BEGIN; LOCK TABLE agate.traces IN ACCESS EXCLUSIVE MODE");
    // Those that have a connection wait for the lock, the others for a connection.
    const reads = Array.from({ length: 12 }, async () => store.readTree(PROJECT, READ));
    const outcomes = Promise.allSettled(reads);
    await expect(Promise.race(reads)).rejects.toMatchObject({
      name: "StoreUnavailableError",
      reason: "All connections to the database are in use.",
    });
    await blocker.query("ROLLBACK");
    await blocker.end();
    const kinds = (await outcomes).map((outcome) =>
      outcome.status === "fulfilled" ? outcome.value.kind : outcome.reason.name,
    );
    expect(new Set(kinds)).toEqual(new Set(["frame", "StoreUnavailableError"]));
    expect(await store.readTree(PROJECT, READ)).toMatchObject({ kind: "frame" });
    await store.close();
  });
});
