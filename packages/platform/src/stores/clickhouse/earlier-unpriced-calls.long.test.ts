import { afterAll, expect, it } from "vitest";
import { spanIdOf, storedSpan, traceIdOf, usageOf } from "../contract/stored-span.fixture.ts";
import { openChdbEngine } from "../testing/chdb-engine.fixture.ts";
import { ClickHouseSession } from "./clickhouse-session.ts";
import { openClickHouseStore } from "./clickhouse-store.ts";
import { countEarlierUnpricedCalls } from "./earlier-unpriced-calls.ts";

const engine = openChdbEngine();
const session = new ClickHouseSession(engine.connect(), engine.address());
afterAll(async () => {
  await session.close();
  await engine.dispose();
});

const summaries = () =>
  session.rows<[project: string, traceId: string, calls: number, total: string]>(
    `SELECT project, trace_id, unpriced_calls, total FROM ${session.table("traces")} FINAL
     ORDER BY project, trace_id`,
  );

it("counts all traces, however many of them and of their spans a step takes", async () => {
  const store = await openClickHouseStore({ address: engine.address(), connect: engine.connect });
  for (const project of ["p", "q"]) {
    // A trace of one span, of two, …: all but the first of each and every third trace have no cost.
    const spans = [1, 2, 3, 4, 5].flatMap((trace) =>
      Array.from({ length: trace }, (_, n) =>
        storedSpan({
          traceId: traceIdOf(trace),
          id: spanIdOf(trace * 10 + n),
          parentId: n === 0 ? null : spanIdOf(trace * 10),
          figures: {
            role: "own",
            usage: usageOf(n + 1, 1),
            cost: n === 0 || trace % 3 === 0 ? 0.25 : null,
          },
        }),
      ),
    );
    await store.append({ project, receivedAt: 1, spans });
  }
  await store.close();
  const expected = await summaries();
  expect(expected.map(([, , calls]) => calls)).toEqual([0, 1, 0, 3, 4, 0, 1, 0, 3, 4]);
  // Six traces have calls without a cost: eleven spans with the priced ones of each project.
  for (const sizes of [
    { traces: 2, spans: 5 },
    { traces: 6, spans: 11 },
    { traces: 7, spans: 10 },
  ]) {
    await session.command(
      `ALTER TABLE ${session.table("traces")}
       UPDATE unpriced_calls = 0, total = replaceRegexpOne(total, ',"unpriced_calls":[0-9]+', '')
       WHERE TRUE`,
      {},
      { mutations_sync: "1" },
    );
    await countEarlierUnpricedCalls(session, { insert_deduplicate: 0 }, sizes);
    expect(await summaries()).toEqual(expected);
  }
});
