import { afterAll, beforeAll, expect, it } from "vitest";
import { storedScore } from "../contract/stored-score.fixture.ts";
import { storedSpan, traceIdOf } from "../contract/stored-span.fixture.ts";
import type { SpanStore } from "../span-store.ts";
import { sharedPostgres } from "../testing/shared-databases.fixture.ts";
import { openPostgresStore } from "./postgres-store.ts";

/** Up to so many scores of a project are read before the traces; with more, the traces are read first. */
const FEW_SCORES = 10_000;
const PER_TRACE = 500;
const project = "default";

let store: SpanStore;
beforeAll(async () => {
  const address = await (await sharedPostgres()).createDatabase();
  store = await openPostgresStore({ address, onFailure: (error) => expect.fail(String(error)) });
});
afterAll(() => store.close());

it("adds up the same, on both sides of what are few scores", async () => {
  const traces = Array.from({ length: FEW_SCORES / PER_TRACE + 1 }, (_, n) => n);
  const spans = traces.map((n) => storedSpan({ traceId: traceIdOf(n), start: n * 1_000 }));
  await store.append({ project, receivedAt: 1, spans });
  const put = async (n: number, count: number) => {
    const scores = Array.from({ length: count }, (_, k) =>
      storedScore({ id: `${n}-${k}`, traceId: traceIdOf(n), value: k % 2 }),
    );
    expect(await store.putScores({ project, scores })).toEqual({ kind: "committed" });
  };
  const { start } = storedSpan();
  const figures = async (from: number) => {
    const range = { from: start + from * 1_000, to: start + 1_000_000, interval: 1_000 };
    const found = await store.scoreFigures({ project, filter: {}, ...range, groups: null });
    return found.names.map(({ count, mean, buckets }) => [count, mean, buckets.length]);
  };
  const last = traces.length - 1;
  for (let n = 0; n < last; n++) await put(n, PER_TRACE);
  expect(await figures(0)).toEqual([[FEW_SCORES, 0.5, last]]);
  expect(await figures(last - 1)).toEqual([[PER_TRACE, 0.5, 1]]);
  await put(last, 2);
  expect(await figures(0)).toEqual([[FEW_SCORES + 2, 0.5, last + 1]]);
  expect(await figures(last - 1)).toEqual([[PER_TRACE + 2, 0.5, 2]]);
});
