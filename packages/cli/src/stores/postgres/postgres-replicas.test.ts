import type { StoredSpan } from "@agate/spans";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { spanIdOf, storedSpan, traceIdOf, usageOf } from "../contract/stored-span.fixture.ts";
import type { SpanStore, TraceChange } from "../span-store.ts";
import type { PostgresAddress } from "../store-address.ts";
import type { PostgresServer } from "../testing/embedded-postgres.fixture.ts";
import { startEmbeddedPostgres } from "../testing/embedded-postgres.fixture.ts";
import { dropDay } from "./day-tables.ts";
import { openPostgresStore } from "./postgres-store.ts";
import { SpanDatabase } from "./span-database.ts";
import { dropEmptyDays } from "./trace-remover.ts";

const DAY = 86_400_000_000;
const PROJECT = "p";

let server: PostgresServer;
let address: PostgresAddress;
let stores: SpanStore[];
let database: SpanDatabase;

beforeAll(async () => {
  server = await startEmbeddedPostgres();
});
beforeEach(async () => {
  address = await server.createDatabase();
  stores = [];
  database = new SpanDatabase(address, { connections: 2, statementMs: 10_000 });
});
afterEach(async () => {
  await database.close();
  await Promise.all(stores.map((store) => store.close()));
});
afterAll(() => server.dispose());

async function open(): Promise<SpanStore> {
  const store = await openPostgresStore({
    address,
    onFailure: (error) => expect.fail(String(error)),
  });
  stores.push(store);
  return store;
}

async function append(
  store: SpanStore,
  spans: readonly StoredSpan[],
  receivedAt = 0,
): Promise<void> {
  expect(await store.append({ project: PROJECT, receivedAt, spans })).toEqual({
    kind: "committed",
  });
}

async function countOf(store: SpanStore): Promise<{ traces: number; spans: number }> {
  const [{ traces, spans } = { traces: 0, spans: 0 }] = await store.countSpans();
  return { traces, spans };
}

/** The days that have tables. */
async function days(): Promise<string[]> {
  const rows = await server.query<{ name: string }>(
    address,
    `SELECT relname AS name FROM pg_partition_tree('agate.spans') JOIN pg_class ON oid = relid
     WHERE isleaf AND level > 0 ORDER BY 1`,
  );
  return rows.map(({ name }) => name);
}

describe("several servers on one PostgreSQL", () => {
  it("write the same traces at once, and lose and double nothing", async () => {
    const replicas = [await open(), await open(), await open()] as const;
    const ids = Array.from({ length: 60 }, (_, n) => n);
    await Promise.all(
      ids.flatMap((n) =>
        replicas.map((store, r) =>
          append(store, [
            // Locked in another order by each, and the second span by all.
            storedSpan({ traceId: traceIdOf((n + r) % 7), id: spanIdOf(n * 3 + r) }),
            storedSpan({ traceId: traceIdOf((n * 5 + r) % 7), id: spanIdOf(1_000) }),
          ]),
        ),
      ),
    );
    for (const store of replicas) expect(await countOf(store)).toEqual({ traces: 7, spans: 187 });
    const { items } = await replicas[0].listSpans({
      project: PROJECT,
      filter: {},
      limit: 500,
      after: null,
    });
    expect(items).toHaveLength(187);
  });

  it("tell of each other's commits, each once", async () => {
    const [one, other] = [await open(), await open()] as const;
    await append(one, [storedSpan({ traceId: traceIdOf(9) })]);
    const seen: TraceChange[] = [];
    const watch = other.watch((changes) => seen.push(...changes));
    await watch.ready;
    // Its transaction begins before others that are told meanwhile, and ends after them.
    await database.transaction(async (transaction) => {
      await transaction.query(
        "UPDATE agate.traces SET changed = pg_current_xact_id() WHERE project = $1",
        [PROJECT],
      );
      await append(one, [storedSpan({ traceId: traceIdOf(1) })]);
      await expect.poll(() => seen).toHaveLength(1);
    });
    await expect.poll(() => seen).toHaveLength(2);
    await append(one, [storedSpan({ traceId: traceIdOf(2) })]);
    await expect.poll(() => seen.length).toBeGreaterThan(2);
    watch.stop();
    expect(seen.map(({ traceId, isNew }) => [traceId, isNew])).toEqual([
      [traceIdOf(1), true],
      [traceIdOf(9), false],
      [traceIdOf(2), true],
    ]);
  });

  it("finish what another has left undone: summaries and the words of texts", async () => {
    const first = await open();
    const spans = Array.from({ length: 3_000 }, (_, n) =>
      storedSpan({
        id: spanIdOf(n),
        parentId: n === 0 ? null : spanIdOf(0),
        start: n,
        name: `span${n}`,
        figures: { role: "own", usage: usageOf(1, 0), cost: null },
      }),
    );
    await append(first, spans.slice(0, 2_900));
    await first.close();
    stores = [];
    // As a server leaves it that dies right after its commit.
    await server.query(
      address,
      "UPDATE agate.traces SET summarised = 1, input_tokens = 0, total = '{}'",
    );
    const other = await open();
    await other.searchCaughtUp();
    const found = { project: PROJECT, filter: { text: "span2899" }, limit: 5, after: null };
    expect((await other.listSpans(found)).items).toHaveLength(1);
    await expect
      .poll(() => server.query(address, "SELECT spans, summarised, input_tokens FROM agate.traces"))
      .toEqual([{ spans: 2_900, summarised: 2_900, input_tokens: 2_900 }]);
  });
});

describe("days", () => {
  it("are made by whoever comes first, and hold all of a trace whenever it goes on", async () => {
    const replicas = [await open(), await open()];
    await Promise.all(
      replicas.flatMap((store, r) =>
        [0, 1, 2, 20_000].map((day) =>
          append(store, [storedSpan({ traceId: traceIdOf(day), id: spanIdOf(r) })], day * DAY + 5),
        ),
      ),
    );
    expect(await days()).toEqual(
      ["19700101", "19700102", "19700103", "20241004"].map((day) => `spans_${day}`),
    );
    await append(await open(), [storedSpan({ traceId: traceIdOf(0), id: spanIdOf(7) })], 3 * DAY);
    expect(
      await server.query(address, "SELECT count(*)::int AS n FROM agate.spans_19700101"),
    ).toEqual([{ n: 3 }]);
  });

  it("are dropped when their last trace has expired, and made anew when they are needed", async () => {
    const store = await open();
    const [early, grown, later] = [1, 2, 3].map((n) => storedSpan({ traceId: traceIdOf(n) }));
    await append(store, [early as StoredSpan, grown as StoredSpan], 0);
    await append(store, [later as StoredSpan], DAY);
    await append(store, [storedSpan({ traceId: traceIdOf(2), id: spanIdOf(2) })], DAY);
    expect(await store.expire(DAY, 10)).toBe(1);
    await dropEmptyDays(database);
    expect(await days()).toHaveLength(2);
    expect(await dropDay(database, 0)).toBe(false);
    expect(await store.expire(DAY + 1, 10)).toBe(2);
    await dropEmptyDays(database);
    expect(await days()).toEqual([]);
    expect(await server.query(address, "SELECT FROM agate.deleted_traces")).toEqual([]);
    expect(await countOf(store)).toEqual({ traces: 0, spans: 0 });
    // The writer believes that the day is there.
    await append(store, [early as StoredSpan], 0);
    expect(await countOf(store)).toEqual({ traces: 1, spans: 1 });
  });

  it("give back the space of expired traces though others of the day go on", async () => {
    const store = await open();
    await append(store, [storedSpan({ inputs: "words" })], 0);
    await append(store, [storedSpan({ traceId: traceIdOf(2) })], 0);
    await store.searchCaughtUp();
    await append(store, [storedSpan({ traceId: traceIdOf(2), id: spanIdOf(2) })], 9 * DAY);
    expect(await store.expire(5 * DAY, 10)).toBe(1);
    const rows = `SELECT (SELECT count(*) FROM agate.segments)::int AS segments,
      (SELECT count(*) FROM agate.spans)::int AS spans, (SELECT count(*) FROM agate.texts)::int AS texts,
      (SELECT count(*) FROM agate.deleted_traces)::int AS deleted`;
    await store.searchCaughtUp();
    await expect
      .poll(() => server.query(address, rows))
      .toEqual([{ segments: 2, spans: 2, texts: 2, deleted: 0 }]);
  });

  it("keep nothing of a trace that was deleted", async () => {
    const store = await open();
    await append(store, [storedSpan({ inputs: "secret" }), storedSpan({ id: spanIdOf(2) })]);
    await append(store, [storedSpan({ inputs: "another secret" })]);
    expect(await store.deleteTrace(PROJECT, traceIdOf(1))).toEqual({ kind: "deleted" });
    const rows = `SELECT FROM agate.segments UNION ALL SELECT FROM agate.spans
      UNION ALL SELECT FROM agate.texts UNION ALL SELECT FROM agate.deleted_traces
      UNION ALL SELECT FROM agate.unindexed`;
    await expect.poll(() => server.query(address, rows)).toEqual([]);
  });
});
