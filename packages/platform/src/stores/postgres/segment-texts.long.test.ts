import type { StoredSpan } from "@agate/spans";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { listedPages } from "../contract/listed-pages.fixture.ts";
import { callOf, foundIn, HISTORY } from "../contract/repeated-texts.fixture.ts";
import { spanIdOf, storedSpan, traceIdOf } from "../contract/stored-span.fixture.ts";
import type { SpanStore } from "../span-store.ts";
import type { PostgresAddress } from "../store-address.ts";
import type { PostgresDatabases } from "../testing/embedded-postgres.fixture.ts";
import { sharedPostgres } from "../testing/shared-databases.fixture.ts";
import { openPostgresStore } from "./postgres-store.ts";

const PROJECT = "default";
/** As many segments share the index. */
const SEGMENTS_PER_GROUP = 32;

let server: PostgresDatabases;
let address: PostgresAddress;
let store: SpanStore;
beforeEach(async () => {
  server = await sharedPostgres();
  address = await server.createDatabase();
  store = await open();
});
afterEach(() => store.close());

const open = () => openPostgresStore({ address, onFailure: (error) => expect.fail(String(error)) });

async function append(...spans: readonly StoredSpan[]): Promise<void> {
  const outcome = await store.append({ project: PROJECT, receivedAt: 1, spans });
  expect(outcome).toEqual({ kind: "committed" });
}

const found = (text: string) => foundIn(store, PROJECT, text);

/** How many rows of the index have a word. */
async function occurrences(word: string): Promise<number> {
  const [row] = await server.query<{ n: number }>(
    address,
    `SELECT count(*)::int AS n FROM agate.texts WHERE strpos(word_list, ' ${word} ') > 0`,
  );
  return row?.n ?? 0;
}

describe("a text that spans of a trace repeat", () => {
  it("is indexed once, and leads to each of them", async () => {
    await append(callOf(1, HISTORY), callOf(2, HISTORY, "second"));
    expect(await found("needles")).toEqual([["call1", "call2"], 1]);
    await append(callOf(3, HISTORY, "second", "third"));
    await append(storedSpan({ traceId: traceIdOf(2), name: "other", inputs: HISTORY }));
    const all = ["call1", "call2", "call3", "other"];
    expect(await found('"question about needles"')).toEqual([all, 2]);
    expect(await found("needles second")).toEqual([["call2", "call3"], 1]);
    expect(await found("third call1")).toEqual([[], 1]);
    // Once in each of the two traces.
    expect([await occurrences("needles"), await occurrences("second")]).toEqual([2, 1]);
  });

  it("is found when another server has indexed it before", async () => {
    await append(callOf(1, HISTORY));
    expect(await found("needles")).toEqual([["call1"], 1]);
    await store.close();
    store = await open();
    await append(callOf(2, HISTORY));
    expect(await found("needles")).toEqual([["call1", "call2"], 1]);
    // The server does not know what the other one has indexed.
    expect(await occurrences("needles")).toBe(2);
  });

  it("is found by the others when the first is replaced, and no longer by what it was", async () => {
    await append(callOf(1, HISTORY, "before"), callOf(3, "third"));
    await append(callOf(2, HISTORY));
    expect(await found("needles")).toEqual([["call1", "call2"], 1]);
    expect(await occurrences("needles")).toBe(1);
    await append(callOf(1, "after"));
    expect(await found("needles")).toEqual([["call2"], 1]);
    expect(await found("before")).toEqual([[], 0]);
    expect(await found("after needles third")).toEqual([[], 1]);
    await append(callOf(2, "nothing"));
    expect(await found("needles")).toEqual([[], 0]);
    expect(await found("after nothing third")).toEqual([[], 1]);
    expect(await occurrences("needles")).toBe(0);
  });

  it("is found again when it was replaced on another server, which knows nothing of this one", async () => {
    await append(callOf(1, HISTORY));
    expect(await found("needles")).toEqual([["call1"], 1]);
    const other = await open();
    const replacing = { project: PROJECT, receivedAt: 1, spans: [callOf(1, "after")] };
    expect(await other.append(replacing)).toEqual({ kind: "committed" });
    await other.searchCaughtUp();
    await other.close();
    await append(callOf(2, HISTORY));
    expect(await found("needles")).toEqual([["call2"], 1]);
  });

  it("stays forgotten where its segment is indexed for the first time after it was replaced", async () => {
    await append(callOf(1, "before"));
    await append(callOf(1, "after"));
    expect(await found("before")).toEqual([[], 0]);
    // As a server does that took the segment before the other one indexed it again.
    await server.query(
      address,
      `INSERT INTO agate.unindexed (places)
       SELECT json_agg(json_build_array(0, trace_no, segment)) FROM agate.segments`,
    );
    expect(await found("before")).toEqual([[], 0]);
    expect(await found("after")).toEqual([["call1"], 1]);
  });

  it("leaves the index with its trace", async () => {
    await append(callOf(1, HISTORY), storedSpan({ traceId: traceIdOf(2), inputs: "stays" }));
    expect(await found("needles")).toEqual([["call1"], 1]);
    await store.deleteTrace(PROJECT, traceIdOf(1));
    expect(await found("needles")).toEqual([[], 0]);
    await expect.poll(() => occurrences("needles")).toBe(0);
    expect((await found("stays"))[1]).toBe(1);
  });
});

it.each([
  [SEGMENTS_PER_GROUP, 1],
  [SEGMENTS_PER_GROUP + 1, 2],
])("indexes a text of %i batches of a trace %i times", async (batches, times) => {
  for (let n = 0; n < batches; n++) await append(callOf(n, HISTORY, `word${n}`));
  const names = Array.from({ length: batches }, (_, n) => `call${n}`);
  expect(await found("needles")).toEqual([names.toSorted(), 1]);
  expect(await occurrences("needles")).toBe(times);
  await append(callOf(0, "replaced"), callOf(batches - 1, HISTORY, "replaced"));
  expect(await found("needles")).toEqual([names.slice(1).toSorted(), 1]);
  expect(await found("word0")).toEqual([[], 0]);
  expect(await found("word1 needles")).toEqual([["call1"], 1]);
  expect(await found("replaced")).toEqual([["call0", `call${batches - 1}`].toSorted(), 1]);
});

it("finds the first and the last word of texts that are longer than what is held at a time", async () => {
  // A million characters are held.
  const filler = "filler ".repeat(90_000);
  await append(...[1, 2, 3].map((n) => callOf(n, `first${n} ${filler} ${n} last${n}`, HISTORY)));
  for (const n of [1, 2, 3]) {
    expect(await found(`first${n} last${n} needles`)).toEqual([[`call${n}`], 1]);
  }
  expect(await found("first1 last3")).toEqual([[], 1]);
});

it("finds words of spans that an earlier version has indexed, each by itself", async () => {
  await append(callOf(1, HISTORY, "first"), callOf(2, HISTORY), callOf(3, "other"));
  await store.searchCaughtUp();
  await server.query(
    address,
    `WITH gone AS (DELETE FROM agate.texts RETURNING day, word_list)
     INSERT INTO agate.texts (day, span_no, words)
     SELECT g.day, p.span_no,
       to_tsvector('simple', CASE p.span_id WHEN '${spanIdOf(3)}' THEN 'other' ELSE g.word_list END)
     FROM gone g JOIN agate.spans p USING (day)`,
  );
  expect(await found("needles")).toEqual([["call1", "call2"], 1]);
  expect(await found("first needles")).toEqual([["call1"], 1]);
  expect(await found("other")).toEqual([["call3"], 1]);
  await append(callOf(1, "after"));
  expect(await found("needles")).toEqual([["call2"], 1]);
  expect(await found("first")).toEqual([[], 0]);
  expect(await found("after other")).toEqual([[], 1]);
  // All of the trace is indexed as this version does it.
  expect(await server.query(address, "SELECT FROM agate.texts WHERE segment IS NULL")).toEqual([]);
});

it("finds words that an earlier version has stored with their places", async () => {
  await append(callOf(1, HISTORY, "first"), callOf(2, "needles about question"));
  await store.searchCaughtUp();
  await server.query(
    address,
    "UPDATE agate.texts SET words = to_tsvector('simple', word_list), word_list = NULL",
  );
  await append(storedSpan({ traceId: traceIdOf(2), name: "other", inputs: HISTORY }));
  expect(await found('"question about needles"')).toEqual([["call1", "other"], 2]);
  expect(await found('"needles about question"')).toEqual([["call2"], 1]);
  expect(await found("needl*")).toEqual([["call1", "call2", "other"], 2]);
  expect(await found("first needles")).toEqual([["call1"], 1]);
});

/** As many records are read for a page. */
const MOST_READ = 10_000;

it.each([
  [MOST_READ, [[1, 0].map(spanIdOf)]],
  [MOST_READ + 1, [[spanIdOf(1)], [spanIdOf(0)]]],
])(
  "reads %i spans of a trace that has all words, in as many pages as it takes",
  async (count, pages) => {
    // Newest first: the words meet in the last two alone.
    const nameOf = (n: number) => (n < 2 ? "red blue" : n % 2 === 0 ? "red" : "blue");
    const spans = Array.from({ length: count }, (_, n) =>
      storedSpan({ id: spanIdOf(n), start: n, name: nameOf(n) }),
    );
    await append(...spans);
    await store.searchCaughtUp();
    const request = { project: PROJECT, filter: { text: "red blue" }, limit: 10 };
    expect(await listedPages(store, "listSpans", request)).toEqual(pages);
  },
  60_000,
);
