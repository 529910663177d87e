import { expect, it } from "vitest";
import { assemble } from "../contract/expected-tree.fixture.ts";
import { spanIdOf, storedSpan, traceIdOf } from "../contract/stored-span.fixture.ts";
import { sharedPostgres } from "../testing/shared-databases.fixture.ts";
import { openPostgresStore } from "./postgres-store.ts";
import { SpanDatabase } from "./span-database.ts";

it("gives an error for a damaged trace, of one segment or several, and the others as they are", async () => {
  const server = await sharedPostgres();
  const address = await server.createDatabase();
  const troubles: string[] = [];
  const store = await openPostgresStore({
    address,
    onFailure: (error) => expect.fail(String(error)),
    onTrouble: ({ error }) => troubles.push(String(error)),
  });
  const project = "default";
  const send = (traces: readonly number[], first: number) =>
    store.append({
      project,
      receivedAt: 1,
      spans: traces.map((n) =>
        storedSpan({ traceId: traceIdOf(n), id: spanIdOf(n * 8 + first), inputs: "x".repeat(900) }),
      ),
    });
  await send([1, 2, 3, 4], 1);
  await send([2, 4], 2);
  const read = async (n: number) =>
    assemble(await store.readTree(project, { kind: "trace", traceId: traceIdOf(n) }));
  const before = [await read(3), await read(4)];

  const database = new SpanDatabase(address, { connections: 1, statementMs: 30_000 });
  await database.query(
    `UPDATE agate.segments s SET body = set_byte(s.body, octet_length(s.body) / 2,
       get_byte(s.body, octet_length(s.body) / 2) # 1)
     FROM agate.traces t WHERE t.trace_no = s.trace_no AND t.trace_id = ANY($1::text[])`,
    [[traceIdOf(1), traceIdOf(2)]],
  );
  await database.close();

  for (const n of [1, 2]) await expect(read(n)).rejects.toThrow(traceIdOf(n));
  expect([await read(3), await read(4)]).toEqual(before);
  const request = { project, filter: {}, limit: 10, after: null };
  const { items, damaged } = await store.listTraces(request);
  expect(items.map((item) => JSON.parse(item).trace_id).sort()).toEqual([
    traceIdOf(3),
    traceIdOf(4),
  ]);
  expect([...(damaged ?? [])].sort()).toEqual([traceIdOf(1), traceIdOf(2)]);
  expect(troubles).toHaveLength(2);
  await store.close();
}, 60_000);
