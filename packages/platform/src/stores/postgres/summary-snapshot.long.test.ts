import type { StoredSpan } from "@agate/spans";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { expectedListed } from "../contract/expected-tree.fixture.ts";
import { spanIdOf, storedSpan, traceIdOf, usageOf } from "../contract/stored-span.fixture.ts";
import { Subject } from "../contract/subject.fixture.ts";
import type { PostgresAddress } from "../store-address.ts";
import type { PostgresDatabases } from "../testing/embedded-postgres.fixture.ts";
import { sharedPostgres } from "../testing/shared-databases.fixture.ts";
import { openPostgresStore } from "./postgres-store.ts";
import { SpanDatabase } from "./span-database.ts";
import type { SummaryFromSnapshot } from "./summarise-traces.ts";
import { applySummary, readSummary } from "./summarise-traces.ts";

let server: PostgresDatabases;
let address: PostgresAddress;
let database: SpanDatabase;
const subject = new Subject(() =>
  openPostgresStore({ address, onFailure: (error) => expect.fail(String(error)) }),
);

beforeAll(async () => {
  server = await sharedPostgres();
  address = await server.createDatabase();
  await subject.open();
  database = new SpanDatabase(address, { connections: 2, statementMs: 30_000 });
});

afterAll(async () => {
  await database.close();
  await subject.store.close();
});

/** Makes a summary of the trace as another server would, without writing it yet. */
function read(): Promise<SummaryFromSnapshot | undefined> {
  return database.transaction(async (snapshot) => {
    const [trace] = await snapshot.query<{ trace_no: number; day: number }>(
      "SELECT trace_no, day FROM agate.traces WHERE project = $1",
      [subject.project],
    );
    return trace && readSummary(snapshot, trace.trace_no, trace.day);
  }, "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY");
}

const span = (n: number, parent: number, name: string, tokens: number) =>
  storedSpan({
    id: spanIdOf(n),
    parentId: parent === 0 || parent === n ? null : spanIdOf(parent),
    start: n,
    name,
    sessionId: name === "b" ? "s" : null,
    figures: { role: "own", usage: usageOf(tokens, 0), cost: null },
  });

const anySpan = fc
  .tuple(fc.integer({ min: 1, max: 5 }), fc.nat(5), fc.constantFrom("a", "b"), fc.nat(9))
  .map((values) => span(...values));
const step = fc.oneof(
  { weight: 4, arbitrary: fc.array(anySpan, { minLength: 1, maxLength: 3 }) },
  { weight: 3, arbitrary: fc.constantFrom("read" as const, "apply" as const) },
  { weight: 1, arbitrary: fc.constant("delete" as const) },
);

it("ends with the summary of all spans, also of those written while one is made", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 10 }), async (steps) => {
      subject.fresh();
      const model = new Map<string, StoredSpan>();
      let made: SummaryFromSnapshot | undefined;
      const apply = async () => {
        if (made !== undefined) await applySummary(database, made);
        made = undefined;
      };
      for (const one of steps) {
        if (one === "read") made = await read();
        else if (one === "apply") await apply();
        else if (one === "delete") {
          await subject.store.deleteTrace(subject.project, traceIdOf(1));
          model.clear();
        } else {
          await subject.append(one);
          for (const sent of one) model.set(sent.id, sent);
        }
      }
      await apply();
      const wanted = model.size === 0 ? [] : [expectedListed([...model.values()])];
      const inSession = [...model.values()].some(({ sessionId }) => sessionId !== null);
      // Maintenance summarises the traces that are behind.
      await expect
        .poll(async () => (await subject.list("listTraces")).items, { timeout: 30_000 })
        .toEqual(wanted);
      await expect
        .poll(async () => (await subject.list("listTraces", { sessionId: "s" })).items.length)
        .toBe(inSession ? 1 : 0);
    }),
    { numRuns: 40 },
  );
}, 120_000);

it("leaves a trace behind that was written to since the snapshot, and no other", async () => {
  subject.fresh();
  const behind = () =>
    database.query<{ is_behind: boolean; name: string }>(
      "SELECT summarised < spans AS is_behind, name FROM agate.traces WHERE project = $1",
      [subject.project],
    );
  await subject.append([span(1, 0, "a", 1), span(2, 1, "a", 1)]);
  const upToDate = (await read()) as SummaryFromSnapshot;
  await applySummary(database, upToDate);
  expect(await behind()).toEqual([{ is_behind: false, name: "a" }]);
  await subject.append([span(1, 0, "b", 1)]);
  // Nothing else makes summaries while this transaction looks.
  await applySummary(database, upToDate);
  await expect.poll(behind).toEqual([{ is_behind: false, name: "b" }]);
});

it("writes no summary of a trace that was deleted, or whose top was moved", async () => {
  subject.fresh();
  await subject.append([span(1, 0, "a", 1)]);
  const old = (await read()) as SummaryFromSnapshot;
  await applySummary(database, { ...old, summary: { ...old.summary, spans: 7 }, topDigest: "x" });
  expect(await subject.store.sizesOf(subject.project, [traceIdOf(1)])).toEqual(
    new Map([[traceIdOf(1), 1]]),
  );
  await subject.store.deleteTrace(subject.project, traceIdOf(1));
  await subject.append([span(1, 0, "b", 1)]);
  await applySummary(database, old);
  expect(await subject.namesOf("listTraces", {})).toEqual(["b"]);
});
