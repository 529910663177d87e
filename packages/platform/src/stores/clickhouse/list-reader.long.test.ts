import { afterAll, beforeAll, expect, it } from "vitest";
import { listedPages } from "../contract/listed-pages.fixture.ts";
import { spanIdOf, storedSpan, traceIdOf } from "../contract/stored-span.fixture.ts";
import type { SpanFilter } from "../span-query.ts";
import type { SpanStore } from "../span-store.ts";
import { openChdbEngine } from "../testing/chdb-engine.fixture.ts";
import { openClickHouseStore } from "./clickhouse-store.ts";

/** Rows that the engine reads at a time. */
const BLOCK_ROWS = 8_192;
const TRACES = 2 * BLOCK_ROWS + 2;
const PER_BATCH = 2_049;
const PAGE = 1_000;
const project = "default";

const numbers = Array.from({ length: TRACES }, (_, n) => n);
/** On both sides of where blocks end, as the list has its newest first. */
const atEnds = new Set(
  [0, 1, 2].flatMap((block) =>
    [-1, 0, 1].map((beside) => TRACES - 1 - block * BLOCK_ROWS - beside),
  ),
);

const engine = openChdbEngine();
let store: SpanStore;
beforeAll(async () => {
  store = await openClickHouseStore({ address: engine.address(), connect: engine.connect });
  for (let first = 0; first < TRACES; first += PER_BATCH) {
    const some = numbers.slice(first, first + PER_BATCH);
    await append(some, "OK");
    // The rows of the earlier write are beside those of the later one.
    await append(
      some.filter((n) => n % 3 === 0 || atEnds.has(n)),
      "ERROR",
    );
  }
}, 300_000);
afterAll(async () => {
  await store?.close();
  await engine.dispose();
});

async function append(some: readonly number[], status: "OK" | "ERROR"): Promise<void> {
  const spans = some.map((n) =>
    storedSpan({
      traceId: traceIdOf(n),
      id: spanIdOf(n),
      start: n,
      status,
      environment: atEnds.has(n) ? "production" : null,
    }),
  );
  expect(await store.append({ project, receivedAt: 1, spans })).toEqual({ kind: "committed" });
}

it.each<[SpanFilter, (n: number) => boolean]>([
  [{}, () => true],
  [{ status: "ERROR" }, (n) => n % 3 === 0 || atEnds.has(n)],
  [{ status: "OK" }, (n) => n % 3 !== 0 && !atEnds.has(n)],
  [{ environment: "production" }, (n) => atEnds.has(n)],
])("lists what %j matches among more rows than are read at a time", async (filter, matches) => {
  const wanted = numbers.filter(matches).toReversed();
  const listed = async (verb: "listTraces" | "listSpans") =>
    (await listedPages(store, verb, { project, filter, limit: PAGE })).flat();
  expect(await listed("listTraces")).toEqual(wanted.map(traceIdOf));
  expect(await listed("listSpans")).toEqual(wanted.map(spanIdOf));
});
