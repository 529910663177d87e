import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listedPages } from "../contract/listed-pages.fixture.ts";
import { EPOCH, spanIdOf, storedSpan, traceIdOf } from "../contract/stored-span.fixture.ts";
import type { SpanFilter } from "../span-query.ts";
import type { SpanStore } from "../span-store.ts";
import type { PostgresAddress } from "../store-address.ts";
import type { PostgresDatabases } from "../testing/embedded-postgres.fixture.ts";
import { sharedPostgres } from "../testing/shared-databases.fixture.ts";
import { openPostgresStore } from "./postgres-store.ts";

// On both sides of the 100 traces and the 400 spans that are looked at before a search is planned.
const TRACES = 260;
const SPANS_PER_TRACE = 3;
const COUNT = TRACES * SPANS_PER_TRACE;
/** By the number of a span, from the oldest. */
const WORDS: Record<string, (n: number) => boolean> = {
  every: () => true,
  second: (n) => n % 2 === 0,
  seventh: (n) => n % 7 === 0,
  oldest: (n) => n === 0,
  newest: (n) => n === COUNT - 1,
  beside: (n) => n === COUNT - 401 || n === COUNT - 400 || n === COUNT - 399,
  never: () => false,
  // Of the newest 100 traces, just less and just more than the eighth from which on the list is read on in its order;
  // then in none but the oldest.
  less: (n) => n === 1 || isNewest(n, 9),
  more: (n) => n === 1 || isNewest(n, 8),
};
function isNewest(n: number, every: number): boolean {
  const place = TRACES - 1 - Math.floor(n / SPANS_PER_TRACE);
  return n % SPANS_PER_TRACE === 0 && place < 100 && place % every === 0;
}

/** With `seventh`, as many as the index is asked for. */
const LONG_WORDS = Array.from({ length: 7 }, (_, n) => `longer${n}`);
for (const word of LONG_WORDS) WORDS[word] = (n) => n % 3 === 0;
WORDS.tiny = (n) => n % 5 === 0;

let server: PostgresDatabases;
let address: PostgresAddress;
let store: SpanStore;
beforeAll(async () => {
  server = await sharedPostgres();
  address = await server.createDatabase();
  store = await openPostgresStore({ address, onFailure: (error) => expect.fail(String(error)) });
  const spans = Array.from({ length: COUNT }, (_, n) =>
    storedSpan({
      traceId: traceIdOf(Math.floor(n / SPANS_PER_TRACE)),
      id: spanIdOf(n),
      start: n * 1000,
      outputs: wordsOf(n).join(" "),
    }),
  );
  await store.append({ project: "default", receivedAt: 1, spans });
  await store.searchCaughtUp();
});
afterAll(() => store.close());

function wordsOf(n: number): string[] {
  return Object.keys(WORDS).filter((word) => WORDS[word]?.(n));
}

function found(verb: "listTraces" | "listSpans", text: string): string[] {
  const terms = text.split(" ");
  const has = (numbers: readonly number[]) =>
    terms.every((term) => numbers.some((n) => WORDS[term]?.(n)));
  const newestFirst = (length: number) => Array.from({ length }, (_, n) => length - 1 - n);
  if (verb === "listSpans") {
    return newestFirst(COUNT)
      .filter((n) => has([n]))
      .map(spanIdOf);
  }
  const spansOf = (trace: number) =>
    Array.from({ length: SPANS_PER_TRACE }, (_, n) => trace * SPANS_PER_TRACE + n);
  return newestFirst(TRACES)
    .filter((trace) => has(spansOf(trace)))
    .map(traceIdOf);
}

describe.each(["listTraces", "listSpans"] as const)("the pages of %s", (verb) => {
  it.each([
    "every",
    "second",
    "seventh",
    "oldest",
    "newest",
    "beside",
    "never",
    "second seventh",
    "newest oldest",
    "every oldest",
    "seventh never",
    "less",
    "more",
    "more less",
    `seventh ${LONG_WORDS.join(" ")}`,
    `tiny seventh ${LONG_WORDS.join(" ")}`,
  ])("have all that match %j, once and in order, on pages of any size", async (text) => {
    for (const limit of [1, 49, 100, 101, 401, 1000]) {
      if (limit === 1 && found(verb, text).length > 30) continue;
      const pages = await listedPages(store, verb, { project: "default", filter: { text }, limit });
      expect(pages.flat(), `${limit} a page`).toEqual(found(verb, text));
      expect(Math.max(...pages.map(({ length }) => length))).toBeLessThanOrEqual(limit);
    }
  });

  it("have what matches the other conditions, too", async () => {
    const [from, before] = [10, 400];
    const filter = { startedFrom: EPOCH + from * 1000, startedBefore: EPOCH + before * 1000 };
    const inRange = (id: string) => {
      const n = Number.parseInt(id, 16) * (verb === "listSpans" ? 1 : SPANS_PER_TRACE);
      return n >= from && n < before;
    };
    const list = (more: SpanFilter) =>
      listedPages(store, verb, {
        project: "default",
        filter: { ...filter, ...more },
        limit: 7,
      });
    const pages = await list({ text: "seventh" });
    expect(pages.flat()).toEqual(found(verb, "seventh").filter(inRange));
    expect(await list({ text: "seventh", minLatency: 1e9 })).toEqual([[]]);
  });
});

it("finds the newest spans with a common word before they are indexed", async () => {
  const from = TRACES - 3;
  const held = `SELECT trace_no FROM agate.traces WHERE trace_id >= '${traceIdOf(from)}'`;
  await server.query(address, `DELETE FROM agate.texts WHERE trace_no IN (${held})`);
  const request = { project: "default", filter: { text: "every" }, limit: 20 };
  const [spans] = await listedPages(store, "listSpans", request, 1);
  expect(spans).toEqual(found("listSpans", "every").slice(0, 20));
  const [traces] = await listedPages(store, "listTraces", request, 1);
  expect(traces).toEqual(found("listTraces", "every").slice(3, 23));
});
