import { expect, it } from "vitest";
import { spanIdOf, storedSpan } from "../contract/stored-span.fixture.ts";
import { sharedPostgres } from "../testing/shared-databases.fixture.ts";
import { analyseTables } from "./day-tables.ts";
import { openPostgresStore } from "./postgres-store.ts";
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
