import type { StoredSpan } from "@agate/spans";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { spanIdOf, storedSpan, traceIdOf, usageOf } from "../contract/stored-span.fixture.ts";
import type { SpanStore, TraceChange } from "../span-store.ts";
import type { PostgresAddress } from "../store-address.ts";
import type { StoreTrouble } from "../store-errors.ts";
import type { PostgresDatabases } from "../testing/embedded-postgres.fixture.ts";
import { sharedPostgres } from "../testing/shared-databases.fixture.ts";
import { startStrictPooler } from "../testing/strict-pooler.fixture.ts";
import { tableOfDay } from "./day.ts";
import { dropDay } from "./day-tables.ts";
import { openPostgresStore } from "./postgres-store.ts";
import { SpanDatabase } from "./span-database.ts";
import { TABLES_BY_DAY } from "./span-schema.ts";
import { dropEmptyDays } from "./trace-remover.ts";

const DAY = 86_400_000_000;
const PROJECT = "p";

let server: PostgresDatabases;
let address: PostgresAddress;
let stores: SpanStore[];
let database: SpanDatabase;

beforeAll(async () => {
  server = await sharedPostgres();
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

async function open(
  at = address,
  onTrouble: (trouble: StoreTrouble) => void = ({ error }) => expect.fail(String(error)),
): Promise<SpanStore> {
  const store = await openPostgresStore({
    address: at,
    onTrouble,
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

describe("what cannot be done to a trace", () => {
  it("is told, set aside and keeps nothing else waiting", async () => {
    const first = await open();
    for (const n of [1, 2, 3]) {
      const spans = ["one", "two"].map((name, s) =>
        storedSpan({ traceId: traceIdOf(n), id: spanIdOf(s), name: `${name}${n}` }),
      );
      await append(first, spans);
    }
    await first.close();
    stores = [];
    const [bad, deleted] = await server.query<{ trace_no: string }>(
      address,
      "SELECT trace_no FROM agate.traces ORDER BY trace_no",
    );
    // All is still to be done; of one trace the bytes are no good, and a deleted one is of no day.
    await server.query(
      address,
      `TRUNCATE agate.texts, agate.unindexed;
       INSERT INTO agate.unindexed (places)
         SELECT json_agg(json_build_array(0, trace_no, segment)) FROM agate.segments;
       UPDATE agate.traces SET summarised = 1, name = '';
       UPDATE agate.segments SET body = 'body', header = 'header' WHERE trace_no = ${bad?.trace_no};
       INSERT INTO agate.deleted_traces VALUES (0, '2000-01-01', false)`,
    );
    const troubles: StoreTrouble[] = [];
    const store = await open(address, (trouble) => troubles.push(trouble));
    await store.deleteTrace(PROJECT, traceIdOf(2));
    await store.searchCaughtUp();
    const found = { project: PROJECT, filter: { text: "two3" }, limit: 5, after: null };
    expect((await store.listSpans(found)).items).toHaveLength(1);
    expect(await server.query(address, "SELECT trace_no FROM agate.unindexable")).toEqual([bad]);
    await expect
      .poll(() => server.query(address, "SELECT spans - summarised AS behind FROM agate.traces"))
      .toEqual([{ behind: 1 }, { behind: 0 }]);
    const left = `SELECT trace_no FROM agate.deleted_traces WHERE trace_no = ${deleted?.trace_no}`;
    await expect.poll(() => server.query(address, left)).toEqual([]);
    await expect
      .poll(() => troubles.map(({ what }) => what).toSorted())
      .toEqual([
        "Could not free the rows of trace number 0.",
        `Could not make the summary of trace number ${bad?.trace_no}.`,
        "Texts in 1 segments cannot be indexed, and searches do not find them: see agate.unindexable in the database.",
      ]);
    await append(store, [storedSpan({ traceId: traceIdOf(4) })]);
    await store.deleteTrace(PROJECT, traceIdOf(1));
    await expect.poll(() => server.query(address, "SELECT FROM agate.unindexable")).toEqual([]);
  });
});

/** A user with the least privileges, and with unusual settings. */
async function unusualUser(): Promise<PostgresAddress> {
  const user = `${new URL(address.url).pathname.slice(1)}_user`;
  await server.query(address, `CREATE ROLE ${user} LOGIN PASSWORD 'p@ss/word'`);
  await server.query(address, `GRANT CREATE ON DATABASE ${user.slice(0, -5)} TO ${user}`);
  const settings = {
    search_path: "''",
    datestyle: "'SQL, DMY'",
    timezone: "'Asia/Kathmandu'",
    intervalstyle: "sql_standard",
    default_transaction_isolation: "'repeatable read'",
    standard_conforming_strings: "off",
    bytea_output: "escape",
    extra_float_digits: "-3",
    array_nulls: "off",
    lock_timeout: "1",
    statement_timeout: "500",
    transaction_timeout: "500",
    synchronous_commit: "off",
  };
  for (const [name, value] of Object.entries(settings)) {
    await server.query(address, `ALTER ROLE ${user} SET ${name} = ${value}`);
  }
  return { ...address, url: address.url.replace("agate:", `${user}:`) };
}

/** What two servers say of spans that they have written at once. */
async function answersAt(at: PostgresAddress): Promise<unknown> {
  const [one, other] = await Promise.all([open(at), open(at)]);
  const dimensions = { userId: "o'ne\\\0", route: "/r" };
  const spans = Array.from({ length: 40 }, (_, n) =>
    storedSpan({
      traceId: traceIdOf(n % 4),
      id: spanIdOf(n),
      start: 1_700_000_000_000_000 + n,
      latency: 0.1 + 0.2,
      inputs: `a 'back\\slash' ${n}`,
      figures: { role: "own", usage: usageOf(n, 1), cost: 0.1 },
      ...(n % 2 === 0 ? dimensions : {}),
    }),
  );
  // Each trace is written by both, again and again.
  await Promise.all(
    spans.map((span, n) => append(n % 3 === 0 ? one : other, [span], 20_000 * DAY + n)),
  );
  await one.searchCaughtUp();
  const list = { project: PROJECT, limit: 50, after: null };
  const filters = [{}, { userId: dimensions.userId }, { text: "back slash 17" }];
  const answers = [
    await one.countSpans(),
    ...(await Promise.all(filters.map((filter) => one.listSpans({ ...list, filter })))),
    ...(await Promise.all(filters.map((filter) => other.listTraces({ ...list, filter })))),
    await one.analytics({
      ...list,
      filter: {},
      from: 1_700_000_000_000_000,
      to: 1_700_000_000_000_100,
      interval: 20,
      groups: { by: "route", limit: 5 },
    }),
  ];
  expect(await one.expire(20_001 * DAY, 10)).toBe(4);
  await Promise.all([one.close(), other.close()]);
  stores = [];
  return answers;
}

describe("a user with settings and rights that are unusual", () => {
  it("gets the same answers", async () => {
    const unusual = await answersAt(await unusualUser());
    address = await server.createDatabase();
    expect(unusual).toEqual(await answersAt(address));
  });

  it("does not lose what is acknowledged in a crash, and has the time that others have", async () => {
    const unusual = new SpanDatabase(await unusualUser(), { connections: 1, statementMs: 10_000 });
    expect(await unusual.query("SHOW synchronous_commit")).toEqual([{ synchronous_commit: "on" }]);
    expect(await unusual.query("SHOW statement_timeout")).toEqual([{ statement_timeout: "10s" }]);
    expect(await unusual.query("SHOW transaction_timeout")).toEqual([{ transaction_timeout: "0" }]);
    await unusual.close();
  });

  it("may be two, of whom one was given the rights of the other", async () => {
    const owner = await unusualUser();
    const { username } = new URL(owner.url);
    await server.query(address, `CREATE ROLE ${username}_2 LOGIN PASSWORD 'p@ss/word'`);
    await server.query(address, `GRANT ${username} TO ${username}_2`);
    const second = { ...owner, url: owner.url.replace(username, `${username}_2`) };
    const [one, other] = [await open(owner), await open(second)];
    for (const [day, store] of [one, other, one, other].entries()) {
      const span = storedSpan({ traceId: traceIdOf(day), id: spanIdOf(day), inputs: "malachite" });
      await append(store, [span], day * DAY);
    }
    const list = { project: PROJECT, filter: { text: "malachite" }, limit: 9, after: null };
    for (const store of [one, other]) {
      await store.searchCaughtUp();
      expect((await store.listTraces(list)).items).toHaveLength(4);
    }
    for (const [day, store] of [other, one, other, one].entries()) {
      await append(store, [storedSpan({ traceId: traceIdOf(day), id: spanIdOf(9) })], day * DAY);
      expect(await store.deleteTrace(PROJECT, traceIdOf(day))).toEqual({ kind: "deleted" });
    }
    const left = () => server.query(address, "SELECT FROM agate.deleted_traces");
    await expect.poll(left).toEqual([]);
  });

  it("may come through a pooler that takes no settings at the start", async () => {
    await using pooler = await startStrictPooler(address);
    const store = await open(pooler.address);
    await append(store, [storedSpan({ inputs: "malachite" })]);
    await store.searchCaughtUp();
    const found = { project: PROJECT, filter: { text: "malachite" }, limit: 10, after: null };
    expect((await store.listTraces(found)).items).toHaveLength(1);
    await store.close();
    stores = [];
  });
});

describe("days", () => {
  it("are created by the first server that needs them, and hold all of a trace, also when it grows later", async () => {
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
    // A trace that is being indexed is passed over.
    await store.searchCaughtUp();
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

  it("expire once, though every server looks for what is old", async () => {
    const replicas = [await open(), await open(), await open()];
    const spans = Array.from({ length: 300 }, (_, n) => storedSpan({ traceId: traceIdOf(n) }));
    await append(replicas[0] as SpanStore, spans);
    await replicas[0]?.searchCaughtUp();
    const deleted = await Promise.all(
      replicas.map(async (store) => {
        let all = 0;
        for (let step = 20; step === 20; all += step) step = await store.expire(DAY, 20);
        return all;
      }),
    );
    expect(deleted.reduce((sum, n) => sum + n)).toBe(300);
    await Promise.all([dropEmptyDays(database), dropEmptyDays(database)]);
    expect(await days()).toEqual([]);
  });

  it("are dropped by one server, although another has cached their tables", async () => {
    const store = await open();
    await append(store, [storedSpan()]);
    await store.searchCaughtUp();
    const other = new SpanDatabase(address, { connections: 1, statementMs: 10_000 });
    expect(await dropDay(other, 0)).toBe(false);
    const dropping = await database.transaction(async (transaction) => {
      await transaction.query("SELECT pg_advisory_xact_lock(hashtextextended('agate.days', 0))");
      const waits = dropDay(other, 0);
      await expect
        .poll(() =>
          server.query(
            address,
            "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
          ),
        )
        .toHaveLength(1);
      for (const table of TABLES_BY_DAY) {
        await transaction.query(`DROP TABLE ${tableOfDay(table, 0)}`);
      }
      return { waits };
    });
    expect(await dropping.waits).toBe(true);
    await other.close();
  });

  it("stay while another session reads them for long, as a backup does, and ingest continues", async () => {
    const store = await open();
    await append(store, [storedSpan()]);
    await store.searchCaughtUp();
    expect(await store.expire(1, 1)).toBe(1);
    await database.transaction(async (backup) => {
      await backup.query("SELECT FROM agate.spans");
      await expect(dropDay(database, 0)).rejects.toMatchObject({ name: "StoreUnavailableError" });
      await Promise.allSettled([dropDay(database, 0), append(store, [storedSpan()], DAY)]);
      expect(await countOf(store)).toEqual({ traces: 1, spans: 1 });
    });
    expect(await dropDay(database, 0)).toBe(true);
    expect(await days()).toEqual(["spans_19700102"]);
  });

  it("give back the space of expired traces though others of the day go on", async () => {
    const store = await open();
    await append(store, [storedSpan({ inputs: "words" })], 0);
    await append(store, [storedSpan({ traceId: traceIdOf(2) })], 0);
    await store.searchCaughtUp();
    const later = storedSpan({ traceId: traceIdOf(2), id: spanIdOf(2), name: "later" });
    await append(store, [later], 9 * DAY);
    await store.searchCaughtUp();
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
