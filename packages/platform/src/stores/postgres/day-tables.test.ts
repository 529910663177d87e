import { expect, it } from "vitest";
import { spanIdOf, storedSpan } from "../contract/stored-span.fixture.ts";
import { sharedPostgres } from "../testing/shared-databases.fixture.ts";
import { analyseTables, makeDays } from "./day-tables.ts";
import { openPostgresStore } from "./postgres-store.ts";
import { prepareSpanDatabase } from "./prepare-database.ts";
import { SpanDatabase } from "./span-database.ts";

it("has PostgreSQL count the rows of a day that has become large, once", async () => {
  const address = await (await sharedPostgres()).createDatabase();
  const onFailure = (error: unknown) => expect.fail(String(error));
  const store = await openPostgresStore({ address, onFailure });
  const appendUpTo = async (from: number, to: number) => {
    const spans = Array.from({ length: to - from }, (_, n) =>
      storedSpan({ id: spanIdOf(from + n) }),
    );
    expect(await store.append({ project: "default", receivedAt: 1, spans })).toEqual({
      kind: "committed",
    });
  };
  const database = new SpanDatabase(address, { connections: 1, statementMs: 60_000 });
  const counted = async () => {
    const [row] = await database.query<{ n: number }>(
      "SELECT reltuples::int AS n FROM pg_class WHERE oid = 'agate.spans_19700101'::regclass",
    );
    return row?.n;
  };
  await appendUpTo(0, 50);
  await analyseTables(database);
  expect(await counted()).toBe(-1);
  await appendUpTo(50, 5_000);
  await analyseTables(database);
  expect(await counted()).toBe(5_000);
  await appendUpTo(5_000, 6_000);
  await analyseTables(database);
  expect(await counted()).toBe(5_000);
  await database.close();
  await store.close();
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
    "ALTER TABLE agate.texts DROP COLUMN word_list",
    "ALTER TABLE agate.long_texts DROP COLUMN word_list",
    "ALTER INDEX agate.spans_by_time RENAME TO spans_by_start",
    "ALTER INDEX agate.spans_by_segment RENAME TO spans_by_no",
    "UPDATE agate.span_schema SET version = version - 3",
  ]) {
    await database.query(statement);
  }
  expect(await statistics()).toEqual([]);
  await (await openPostgresStore({ address, onFailure })).close();
  expect(await statistics()).toEqual(none);
  await database.close();
});
