import { afterAll, beforeAll, expect, it } from "vitest";
import { assemble, expectedTree } from "../contract/expected-tree.fixture.ts";
import { family } from "../contract/family.fixture.ts";
import { spanIdOf, storedSpan, traceIdOf } from "../contract/stored-span.fixture.ts";
import type { SpanStore, TreeRead } from "../span-store.ts";
import { sharedPostgres } from "../testing/shared-databases.fixture.ts";
import { openPostgresStore } from "./postgres-store.ts";
import { SpanDatabase } from "./span-database.ts";

const project = "default";
let store: SpanStore;
let database: SpanDatabase;

beforeAll(async () => {
  const address = await (await sharedPostgres()).createDatabase();
  store = await openPostgresStore({ address, onFailure: (error) => expect.fail(String(error)) });
  database = new SpanDatabase(address, { connections: 1, statementMs: 30_000 });
});
afterAll(async () => {
  await database.close();
  await store.close();
});

const spansOf = (trace: number) => family().map((span) => ({ ...span, traceId: traceIdOf(trace) }));
const append = (...traces: readonly number[]) =>
  store.append({ project, receivedAt: 1, spans: traces.flatMap(spansOf) });
const read = async (trace: number): Promise<TreeRead> =>
  store.readTree(project, { kind: "trace", traceId: traceIdOf(trace) });

/** Changes the segment of a trace; `o` is that of another trace. */
const change = (set: string, trace: number, other = trace) =>
  database.query(
    `UPDATE agate.segments s SET ${set}
     FROM agate.traces t, agate.segments o JOIN agate.traces u ON u.trace_no = o.trace_no
     WHERE t.trace_no = s.trace_no AND t.trace_id = $1 AND u.trace_id = $2`,
    [traceIdOf(trace), traceIdOf(other)],
  );

/** Reads twice: the first read may be of another day than the one before. */
async function expectRead(trace: number, kind: TreeRead["kind"]): Promise<void> {
  for (let n = 0; n < 2; n++) {
    const tree = await read(trace);
    expect(tree.kind).toBe(kind);
    expect(await assemble(tree)).toEqual(expectedTree(spansOf(trace)));
  }
}

it("gives the stored frame of a trace that arrived in one batch, until more arrives", async () => {
  await append(1);
  await expectRead(1, "frame");
  const late = storedSpan({ id: spanIdOf(9), parentId: spanIdOf(1), start: 40 });
  await store.append({ project, receivedAt: 2, spans: [late] });
  const tree = await read(1);
  expect(tree.kind).toBe("nodes");
  expect(await assemble(tree)).toEqual(expectedTree([...spansOf(1), late]));
});

it("unpacks a trace of an earlier version, which has no sum", async () => {
  await append(2);
  await change("answer_sum = NULL", 2);
  await expectRead(2, "assembled");
});

it("unpacks a trace whose sum is of another body, and checks it by its header", async () => {
  await append(3);
  await change("answer_sum = s.answer_sum # 1", 3);
  await expectRead(3, "assembled");
});

it("gives no damaged frame, and none of another trace", async () => {
  await append(4, 5, 6);
  await change("header = o.header, body = o.body, answer_sum = o.answer_sum", 4, 5);
  await expect(read(4)).rejects.toThrow(traceIdOf(4));
  const half = "octet_length(s.body) / 2";
  await change(`body = set_byte(s.body, ${half}, get_byte(s.body, ${half}) # 1)`, 6);
  await expect(read(6)).rejects.toThrow(traceIdOf(6));
  await expectRead(5, "frame");
});
