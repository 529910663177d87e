import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { spanIdOf, storedSpan, traceIdOf } from "../contract/stored-span.fixture.ts";
import type { SpanFilter } from "../span-query.ts";
import { interrupt, interruptMemory, QueryInterrupt, wanted } from "./query-interrupt.ts";
import { QueryRunner } from "./query-runner.ts";
import { openSqliteStore } from "./sqlite-store.ts";

/** More rows than a statement visits between two looks at whether it is wanted. */
const TRACES = 2_100;
const QUERY = 7;

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "agate-query-"));
  const store = await openSqliteStore({ directory });
  const spans = Array.from({ length: TRACES }, (_, n) =>
    storedSpan({
      traceId: traceIdOf(n),
      id: spanIdOf(n),
      start: n,
      inputs: "common",
      userId: `u${n}`,
    }),
  );
  await store.append({ project: "p", receivedAt: 1, spans });
  await store.searchCaughtUp();
  await store.close();
});
afterAll(() => rm(directory, { recursive: true }));

const base = storedSpan().start;
const RANGE = { from: base, to: base + 1_000_000, interval: 1_000_000 };

// No row matches, so that only the statement itself can notice; but each is visited.
const NOTHING: SpanFilter = { minLatency: 1e12 };
const queries: [string, (runner: QueryRunner) => unknown][] = [
  ["a list of traces", (runner) => runner.listTraces(QUERY, list(NOTHING))],
  ["a list of spans", (runner) => runner.listSpans(QUERY, list(NOTHING))],
  [
    "a search for traces",
    (runner) => runner.listTraces(QUERY, list({ ...NOTHING, text: "common" })),
  ],
  ["a search for spans", (runner) => runner.listSpans(QUERY, list({ ...NOTHING, text: "common" }))],
  ["analytics", (runner) => runner.analytics(QUERY, { ...figures(NOTHING), groups: null })],
  [
    "analytics by group",
    (runner) =>
      runner.analytics(QUERY, { ...figures(NOTHING), groups: { by: "user_id", limit: 1 } }),
  ],
];

function list(filter: SpanFilter) {
  return { project: "p", filter, limit: 10, after: null };
}

function figures(filter: SpanFilter) {
  return { project: "p", filter, ...RANGE };
}

it.each(queries)("stops %s in the middle of its statement", (_, run) => {
  const memory = interruptMemory();
  const runner = new QueryRunner(directory, memory);
  // The first look is before the statement.
  const load = vi
    .spyOn(Atomics, "load")
    .mockReturnValueOnce(0 as never)
    .mockReturnValue(QUERY as never);
  try {
    expect(() => run(runner)).toThrow("The query was stopped");
    expect(load).toHaveBeenCalledTimes(2);
    load.mockRestore();
    // The connection is as good as before.
    expect(() => run(runner)).not.toThrow();
    interrupt(memory, QUERY + 1);
    expect(() => run(runner)).not.toThrow();
    interrupt(memory, QUERY);
    expect(() => run(runner)).toThrow("The query was stopped");
  } finally {
    load.mockRestore();
    runner.close();
  }
});

it("gives the same lists and figures with the condition as without", () => {
  const runner = new QueryRunner(directory, interruptMemory());
  expect(runner.listTraces(QUERY, { ...list({}), limit: 1_000 }).items).toHaveLength(1_000);
  expect(runner.analytics(QUERY, { ...figures({}), groups: null }).total.count).toBe(TRACES);
  expect(
    runner.analytics(QUERY, { ...figures({ text: "common" }), groups: null }).total.count,
  ).toBe(TRACES);
  runner.close();
});

it("checks once in 1,024 rows, also in rows that another condition rejects", () => {
  const db = new DatabaseSync(":memory:");
  const stop = new QueryInterrupt(db, interruptMemory());
  const check = vi.spyOn(stop, "check");
  const count = (rows: number) => {
    check.mockClear();
    db.prepare(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT ${rows})
       SELECT i FROM n WHERE ${wanted("i")} AND i < 0`,
    ).all();
    return check.mock.calls.length;
  };
  expect([1_023, 1_024, 2_047, 2_048].map(count)).toEqual([0, 1, 1, 2]);
  db.close();
});
