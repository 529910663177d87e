import { expect, it } from "vitest";
import { spanIdOf, storedSpan, traceIdOf } from "../contract/stored-span.fixture.ts";
import type { SpanFilter } from "../span-query.ts";
import { sharedPostgres } from "../testing/shared-databases.fixture.ts";
import { openPostgresStore } from "./postgres-store.ts";
import { SpanDatabase } from "./span-database.ts";

// An entry of the index of values is of 32 pages, some hundred rows, and has a size that does not depend on these.

const project = "default";
const PER_BATCH = 1_500;
const INDEXES = `(SELECT c.oid FROM pg_class c JOIN pg_am a ON a.oid = c.relam
  WHERE a.amname = 'brin' AND c.relkind = 'i') AS indexes`;

it("takes rows that all have values of their own, and finds each by any of them", async () => {
  const address = await (await sharedPostgres()).createDatabase();
  const onFailure = (error: unknown) => expect.fail(String(error));
  const store = await openPostgresStore({ address, onFailure });
  const database = new SpanDatabase(address, { connections: 1, statementMs: 60_000 });
  let stored = 0;
  for (let batch = 0; batch < 4; batch++) {
    const spans = Array.from({ length: PER_BATCH }, (_, n) => {
      const own = stored + n;
      return storedSpan({
        traceId: traceIdOf(own),
        id: spanIdOf(own),
        start: own,
        latency: own,
        name: `name ${own}`,
        kind: own % 1_000 === 0 ? "RERANKER" : "LLM",
        application: `application ${own}`,
        variant: `variant ${own}`,
        environment: `environment ${own}`,
        revision: own,
        figures: { cost: own, usage: null, role: "own" },
      });
    });
    expect(await store.append({ project, receivedAt: 1, spans })).toEqual({ kind: "committed" });
    stored += PER_BATCH;
    // The next batch goes on in ranges that have an entry.
    await database.query(`SELECT brin_summarize_new_values(oid) FROM ${INDEXES}`);
  }
  const used = await database.query(`SELECT FROM ${INDEXES} WHERE pg_relation_size(oid) > 0`);
  expect(used).toHaveLength(2);

  const found = async (filter: SpanFilter) => {
    const ids = [];
    for (const verb of ["listTraces", "listSpans"] as const) {
      const { items } = await store[verb]({ project, filter, limit: 1_000, after: null });
      ids.push(items.map((item) => Number.parseInt(JSON.parse(item).id, 16)));
    }
    return ids;
  };
  for (const own of [0, 1, PER_BATCH - 1, PER_BATCH, stored - 1]) {
    expect(await found({ name: `name ${own}` })).toEqual([[own], [own]]);
    expect(await found({ application: `application ${own}` })).toEqual([[own], [own]]);
    expect(await found({ variant: `variant ${own}` })).toEqual([[own], [own]]);
    expect(await found({ environment: `environment ${own}` })).toEqual([[own], [own]]);
    expect(await found({ revision: own })).toEqual([[own], [own]]);
    const later = Array.from({ length: Math.min(1_000, stored - own) }, (_, n) => stored - 1 - n);
    expect(await found({ minLatency: own })).toEqual([later, later]);
    expect(await found({ minCost: own })).toEqual([later, later]);
  }
  const rare = [5_000, 4_000, 3_000, 2_000, 1_000, 0];
  expect(await found({ spankind: "RERANKER" })).toEqual([rare, rare]);
  expect(await found({ minLatency: stored })).toEqual([[], []]);
  expect(await found({ spankind: "RERANKER", revision: 1 })).toEqual([[], []]);
  await database.close();
  await store.close();
});
