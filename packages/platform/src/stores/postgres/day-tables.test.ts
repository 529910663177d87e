import { expect, it } from "vitest";
import { spanIdOf, storedSpan } from "../contract/stored-span.fixture.ts";
import { sharedPostgres } from "../testing/shared-databases.fixture.ts";
import { analyseTables, makeDays } from "./day-tables.ts";
import { openPostgresStore } from "./postgres-store.ts";
import { prepareSpanDatabase } from "./prepare-database.ts";
import type { SqlRunner } from "./span-database.ts";
import { SpanDatabase } from "./span-database.ts";
import { WITHOUT_ZONES } from "./without-zones.fixture.ts";

it("has PostgreSQL count the rows of a day that has become large, and has grown eight-fold since", async () => {
  const address = await (await sharedPostgres()).createDatabase();
  const onFailure = (error: unknown) => expect.fail(String(error));
  const store = await openPostgresStore({ address, onFailure });
  const day = "agate.spans_19700101";
  const spans = Array.from({ length: 50 }, (_, n) => storedSpan({ id: spanIdOf(n) }));
  await store.append({ project: "default", receivedAt: 1, spans });
  // Its own maintenance counts as well.
  await store.close();
  const database = new SpanDatabase(address, { connections: 2, statementMs: 60_000 });
  /** Adds every row so many times more. */
  const multiply = (runner: SqlRunner, times: number) =>
    runner.query(
      `INSERT INTO ${day} SELECT spans.* FROM ${day} spans, generate_series(1, ${times})`,
    );
  const counted = async () => {
    await analyseTables(database);
    const [row] = await database.query<{ n: number }>(
      `SELECT reltuples::int AS n FROM pg_class WHERE oid = '${day}'::regclass`,
    );
    return row?.n;
  };
  expect(await counted()).toBe(-1);
  await database.transaction(async (transaction) => {
    await multiply(transaction, 99);
    // Only those that are committed.
    expect(await counted()).toBe(50);
  });
  // A connection reports what it has written some seconds later.
  await expect.poll(counted, { timeout: 60_000 }).toBe(5_000);
  await multiply(database, 8);
  await reported(database, day, 40_000);
  expect(await counted()).toBe(5_000);
  await database.query(`INSERT INTO ${day} SELECT * FROM ${day} LIMIT 1`);
  await expect.poll(counted, { timeout: 60_000 }).toBe(45_001);
  await database.close();
});

/** Resolves when PostgreSQL knows of this many rows that were written after it counted those of a table. */
async function reported(database: SpanDatabase, table: string, rows: number): Promise<void> {
  const written = () =>
    database.query("SELECT pg_stat_get_mod_since_analyze($1::regclass)::int AS n", [table]);
  await expect.poll(written, { timeout: 60_000 }).toEqual([{ n: rows }]);
}

it("leaves queues to PostgreSQL once they were counted, and tables that are locked for later", async () => {
  const address = await (await sharedPostgres()).createDatabase();
  await prepareSpanDatabase(address);
  const database = new SpanDatabase(address, { connections: 2, statementMs: 60_000 });
  const queue = "agate.unindexed_contents";
  // PostgreSQL's own count would be taken for this one's.
  await database.query(`ALTER TABLE ${queue} SET (autovacuum_enabled = off)`);
  const fill = (rows: number) =>
    database.query(
      `INSERT INTO ${queue} (project, trace_id, span_id)
       SELECT 'default', repeat('a', 32), repeat('b', 16) FROM generate_series(1, ${rows})`,
    );
  const counted = async () => {
    await analyseTables(database);
    return database.query(
      `SELECT reltuples::int AS n FROM pg_class WHERE oid = '${queue}'::regclass`,
    );
  };
  await fill(4_000);
  await database.query(`DELETE FROM ${queue} WHERE unindexed_no > 10`);
  // Reported after it was counted, this would be taken for new rows.
  await reported(database, queue, 7_990);
  await database.transaction(async (transaction) => {
    // As a vacuum does.
    await transaction.query(`LOCK TABLE ${queue} IN SHARE UPDATE EXCLUSIVE MODE`);
    expect(await counted()).toEqual([{ n: -1 }]);
  });
  expect(await counted()).toEqual([{ n: 10 }]);
  await fill(50);
  await database.query(`DELETE FROM ${queue} WHERE unindexed_no > 4_019`);
  await reported(database, queue, 81);
  expect(await counted()).toEqual([{ n: 10 }]);
  await database.close();
});

it("keeps numbers before texts in the spans of a day, so that no bytes lie between them", async () => {
  const address = await (await sharedPostgres()).createDatabase();
  const database = new SpanDatabase(address, { connections: 1, statementMs: 60_000 });
  await prepareSpanDatabase(address);
  await makeDays(database, [0]);
  const columns = (table: string) =>
    database.query<{ name: string; width: number }>(
      `SELECT attname AS name, attlen AS width, attcollation, attnotnull FROM pg_attribute
       WHERE attrelid = $1::regclass AND attnum > 0 ORDER BY attnum`,
      [table],
    );
  const [ofDay, all] = [await columns("agate.spans_19700101"), await columns("agate.spans")];
  expect(ofDay.map(({ width }) => width)).toEqual(
    all.map(({ width }) => width).sort((one, other) => other - one),
  );
  expect(new Set(ofDay)).toEqual(new Set(all));
  await database.close();
});

it("has PostgreSQL make no statistics of the words of a row, in new days and in those of earlier versions", async () => {
  const address = await (await sharedPostgres()).createDatabase();
  const onFailure = (error: unknown) => expect.fail(String(error));
  const database = new SpanDatabase(address, { connections: 1, statementMs: 60_000 });
  const statistics = () =>
    database.query<{ target: number }>(
      `SELECT a.attstattarget AS target FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
       WHERE a.attname = 'array_to_tsvector' AND c.relkind = 'i'`,
    );
  const none = [{ target: 0 }, { target: 0 }];

  const store = await openPostgresStore({ address, onFailure });
  await store.append({ project: "default", receivedAt: 1, spans: [storedSpan({})] });
  await store.searchCaughtUp();
  await store.close();
  expect(await statistics()).toEqual(none);
  await database.query("ANALYZE agate.texts_19700101");
  expect(await database.query("SELECT FROM pg_stats WHERE attname = 'array_to_tsvector'")).toEqual(
    [],
  );

  for (const statement of [
    ...WITHOUT_ZONES,
    "ALTER TABLE agate.texts DROP COLUMN word_list",
    "ALTER TABLE agate.long_texts DROP COLUMN word_list",
    "ALTER INDEX agate.spans_by_time RENAME TO spans_by_start",
    "ALTER INDEX agate.spans_by_segment RENAME TO spans_by_no",
    "UPDATE agate.span_schema SET version = version - 4",
  ]) {
    await database.query(statement);
  }
  expect(await statistics()).toEqual([]);
  await (await openPostgresStore({ address, onFailure })).close();
  expect(await statistics()).toEqual(none);
  await database.close();
});
