import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { assemble, expectedTree } from "../contract/expected-tree.fixture.ts";
import { spanIdOf, storedSpan, traceIdOf } from "../contract/stored-span.fixture.ts";
import type { SpanStore } from "../span-store.ts";
import type { PostgresAddress } from "../store-address.ts";
import { sharedPostgres } from "../testing/shared-databases.fixture.ts";
import { openPostgresStore } from "./postgres-store.ts";
import type { SqlValue } from "./span-database.ts";
import { SpanDatabase } from "./span-database.ts";
import { TraceReader } from "./trace-reader.ts";

const project = "default";
const DAY = 86_400_000_000;
const spanOf = (trace: number, n = 1) =>
  storedSpan({ traceId: traceIdOf(trace), id: spanIdOf(8 * trace + n), start: n });

/** Counts the statements that a reader makes. */
class CountingDatabase extends SpanDatabase {
  statements = 0;

  override query<Row extends object>(
    text: string,
    values?: readonly SqlValue[],
    name?: string,
  ): Promise<Row[]> {
    this.statements++;
    return super.query<Row>(text, values, name);
  }
}

let address: PostgresAddress;
let store: SpanStore;
let database: CountingDatabase;
let reader: TraceReader;

beforeAll(async () => {
  address = await (await sharedPostgres()).createDatabase();
  store = await openPostgresStore({ address, onFailure: (error) => expect.fail(String(error)) });
  database = new CountingDatabase(address, { connections: 1, statementMs: 30_000 });
  // Two traces on the first day and one on each of the next two, which are days of 1970.
  for (const [trace, day] of [
    [1, 0],
    [2, 0],
    [3, 1],
    [4, 2],
  ] as const) {
    await store.append({ project, receivedAt: day * DAY + 1, spans: [spanOf(trace)] });
  }
});
beforeEach(() => {
  reader = new TraceReader(database);
});
afterAll(async () => {
  await database.close();
  await store.close();
});

/** Reads a trace. @returns How many statements it took. */
async function read(trace: number, spans = [spanOf(trace)]): Promise<number> {
  const before = database.statements;
  const tree = await reader.readTree(project, { kind: "trace", traceId: traceIdOf(trace) });
  const taken = database.statements - before;
  expect(await assemble(tree)).toEqual(spans.length === 0 ? undefined : expectedTree(spans));
  return taken;
}

it("reads a trace of the same day as the one before in one statement", async () => {
  expect(await read(1)).toBe(2);
  expect(await read(2)).toBe(1);
  expect(await read(9, [])).toBe(1);
  expect(await read(3)).toBe(2);
  expect(await read(3)).toBe(1);
  expect(await read(1)).toBe(2);
});

it("reads a trace of several segments after one that is a single segment", async () => {
  expect(await read(1)).toBe(2);
  const late = spanOf(2, 2);
  await store.append({ project, receivedAt: 2, spans: [late] });
  await read(2, [spanOf(2), late]);
  expect(await read(1)).toBe(1);
});

it("reads on where the day of the trace before was dropped", async () => {
  expect(await read(4)).toBe(2);
  await store.deleteTrace(project, traceIdOf(4));
  await database.query("DROP TABLE agate.segments_19700103");
  expect(await read(1)).toBe(3);
  expect(await read(1)).toBe(1);
});
