import { expect, it } from "vitest";
import { storedSpan, traceIdOf } from "../contract/stored-span.fixture.ts";
import { sharedPostgres } from "../testing/shared-databases.fixture.ts";
import { openPostgresStore } from "./postgres-store.ts";
import { SpanDatabase } from "./span-database.ts";
import { summariseNext } from "./summarise-traces.ts";

it("finds the one trace that is free behind more than are looked up at once", async () => {
  const address = await (await sharedPostgres()).createDatabase();
  const onFailure = (error: unknown) => expect.fail(String(error));
  const store = await openPostgresStore({ address, onFailure });
  const spans = Array.from({ length: 103 }, (_, n) => storedSpan({ traceId: traceIdOf(n) }));
  await store.append({ project: "p", receivedAt: 1, spans });
  await store.close();
  const database = new SpanDatabase(address, { connections: 2, statementMs: 30_000 });
  await database.query("UPDATE agate.traces SET summarised = 0", []);
  const all = await database.query<{ trace_no: number }>(
    "SELECT trace_no FROM agate.traces ORDER BY trace_no",
    [],
  );
  const traceNos = all.map(({ trace_no }) => trace_no);
  // How many other servers hold at the moment, and which trace is then taken.
  for (const held of [0, 99, 100, 101]) {
    const taken = await database.transaction(async (other) => {
      await other.query(
        "SELECT pg_advisory_xact_lock(hashtextextended('agate.summary', n)) FROM unnest($1::bigint[]) AS n",
        [traceNos.slice(0, held)],
      );
      return summariseNext(database, 0, [], () => {});
    });
    expect(taken).toBe(traceNos[held]);
    await database.query("UPDATE agate.traces SET summarised = 0", []);
  }
  // All that are left out, and none behind the last.
  expect(await summariseNext(database, 0, traceNos, () => {})).toBeUndefined();
  expect(await summariseNext(database, traceNos.at(-1) ?? 0, [], () => {})).toBeUndefined();
  await database.close();
});
