import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { spanIdOf, storedSpan, traceIdOf } from "../contract/stored-span.fixture.ts";
import type { ListPage, ListRequest, SpanFilter } from "../span-query.ts";
import type { SpanStore } from "../span-store.ts";
import { sharedPostgres } from "../testing/shared-databases.fixture.ts";
import { listSpans, listTraces } from "./list-reader.ts";
import { openPostgresStore } from "./postgres-store.ts";
import type { QueryRunner } from "./span-database.ts";
import { SpanDatabase } from "./span-database.ts";

const project = "default";
const TRACES = 20_000;
/** One trace of this many belongs to a run. */
const EVERY = 20;
/** One trace of this many has a span that failed. */
const EVERY_FAILED = 50;

/** How many spans are looked up; with more, the list is walked. */
const FEW = 10_000;
const crowded = "crowded";

/** A trace of so many spans, the first of which failed, in a project with another that is fine. */
async function appendCrowded(own: string, count: number): Promise<void> {
  const spans = Array.from({ length: count }, (_, n) =>
    storedSpan({ id: spanIdOf(n), start: n, status: n === 0 ? "ERROR" : "OK" }),
  );
  const fine = storedSpan({ traceId: traceIdOf(2), id: spanIdOf(count), start: count });
  const batch = { project: own, receivedAt: 1, spans: [...spans, fine] };
  expect(await store.append(batch)).toEqual({ kind: "committed" });
}

let store: SpanStore;
let database: SpanDatabase;
beforeAll(async () => {
  const address = await (await sharedPostgres()).createDatabase();
  store = await openPostgresStore({ address, onFailure: (error) => expect.fail(String(error)) });
  database = new SpanDatabase(address, { connections: 1, statementMs: 60_000 });
  for (let from = 0; from < TRACES; from += 5_000) {
    const spans = Array.from({ length: 5_000 }, (_, n) =>
      storedSpan({
        traceId: traceIdOf(from + n),
        id: spanIdOf(from + n),
        start: from + n,
        status: (from + n) % EVERY_FAILED === 1 ? "ERROR" : "OK",
        run: (from + n) % EVERY === 0 ? `r${(from + n) % 7}` : null,
      }),
    );
    expect(await store.append({ project, receivedAt: 1, spans })).toEqual({ kind: "committed" });
  }
  await appendCrowded(crowded, FEW + 1);
}, 120_000);
afterAll(async () => {
  await database.close();
  await store.close();
});

type List = (runner: QueryRunner, request: ListRequest) => Promise<ListPage>;

/** The plan of the statement of a list that finds its rows. */
async function planOf(list: List, filter: SpanFilter, listed = project): Promise<string> {
  const asked: Parameters<QueryRunner["query"]>[] = [];
  const noting: QueryRunner = {
    query: (...statement) => {
      asked.push(statement);
      return database.query(...statement);
    },
    snapshot: (work) => work(noting),
  };
  await list(noting, { project: listed, filter, limit: 50, after: null });
  const [text, values] = asked.find(([statement]) => statement.includes("ORDER BY"))!;
  const rows = await database.query<Record<string, string>>(`EXPLAIN ${text}`, values);
  return rows.map((row) => Object.values(row)[0]).join("\n");
}

// A column that a migration has just added has no statistics; later it has.
describe.each([
  ["without", "(project, start, start_nanos, trace_id, trace_no)"],
  ["with", ""],
])("lists, %s statistics of runs", (_known, columns) => {
  beforeAll(() => database.query(`ANALYZE agate.traces ${columns}, agate.spans`));

  it.each([
    ["of live traces", { traffic: "live" }, "traces_live"],
    ["of evaluated traces", { traffic: "evaluation" }, "traces_evaluated"],
    ["of a run", { run: "r1" }, "traces_by_run"],
    ["of all traces", {}, "traces_by_start"],
    ["of traces with a failed span", { anyError: true }, "traces_failed"],
    ["of live traces with a failed span", { anyError: true, traffic: "live" }, "traces_failed"],
    ["of live traces without one", { anyError: false, traffic: "live" }, "traces_live"],
  ] as const)("%s use one index", async (_, filter, index) => {
    const plan = await planOf(listTraces, filter);
    expect(plan).toMatch(new RegExp(`Index Scan (Backward )?using ${index} |Scan on ${index} `));
    expect(plan).not.toContain("Seq Scan");
  });

  it.each([[{ traffic: "live" }], [{ traffic: "live", anyError: false }]] as const)(
    "of spans of traces, %j, walk them in order, and look their traces up",
    async (filter) => {
      const plan = await planOf(listSpans, filter);
      expect(plan).toMatch(/Index Scan Backward using spans_\w+_project_start_idx/);
      expect(plan).toMatch(/Index Scan using traces_pkey/);
      expect(plan).not.toContain("Seq Scan");
    },
  );

  it.each([{ anyError: true }, { traffic: "live", anyError: true }] as const)(
    "of spans of few traces, %j, look these up",
    async (filter) => {
      const plan = await planOf(listSpans, filter);
      expect(plan).toMatch(
        /using spans_\w+_trace_no_segment_idx|Scan on spans_\w+_trace_no_segment_idx/,
      );
      expect(plan).not.toContain("Seq Scan");
    },
  );

  it("of spans of many traces with a failed one walk them in order", async () => {
    const plan = await planOf(listSpans, { anyError: true }, crowded);
    expect(plan).toMatch(/Index Scan Backward using spans_\w+_project_start_idx/);
    expect(plan).not.toContain("Seq Scan");
  });
});

it.each([
  [FEW, "looks up"],
  [FEW + 1, "walks"],
])("with %i spans in traces with a failed one, %s the list of spans", async (count, way) => {
  const own = `project-${count}`;
  await appendCrowded(own, count);
  const asked: string[] = [];
  const noting: QueryRunner = {
    query: (...statement) => {
      asked.push(statement[0]);
      return database.query(...statement);
    },
    snapshot: (work) => work(noting),
  };
  const request = { project: own, filter: { anyError: true }, limit: 3, after: null };
  const page = await listSpans(noting, request);
  expect(page.items.map((item) => JSON.parse(item).id)).toEqual(
    [count - 1, count - 2, count - 3].map(spanIdOf),
  );
  expect(asked.some((text) => text.includes("f.count"))).toBe(way === "looks up");
});
