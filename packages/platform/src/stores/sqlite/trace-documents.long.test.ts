import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { StoredSpan } from "@agate/spans";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { callOf, foundIn, HISTORY } from "../contract/repeated-texts.fixture.ts";
import { storedSpan, traceIdOf } from "../contract/stored-span.fixture.ts";
import type { SpanStore } from "../span-store.ts";
import { filesIn } from "./data-directory.ts";
import { SpanIndexer } from "./span-indexer.ts";
import { openSqliteStore } from "./sqlite-store.ts";

const PROJECT = "default";

let directory = "";
let store: SpanStore;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "agate-documents-"));
  store = await openSqliteStore({ directory });
});
afterEach(async () => {
  await store.close();
  await rm(directory, { recursive: true });
});

async function append(...spans: readonly StoredSpan[]): Promise<void> {
  const outcome = await store.append({ project: PROJECT, receivedAt: 1, spans });
  expect(outcome).toEqual({ kind: "committed" });
}

const found = (text: string) => foundIn(store, PROJECT, text);

function inIndex<Value>(read: (index: DatabaseSync) => Value): Value {
  using index = new DatabaseSync(filesIn(directory).index);
  return read(index);
}

/** How often a word is in the index. */
function occurrences(word: string): number {
  return inIndex((index) => {
    index.exec("CREATE VIRTUAL TABLE temp.places USING fts5vocab(main, trace_words, instance)");
    const row = index.prepare("SELECT count(*) AS n FROM places WHERE term = ?").get(word);
    return (row as { n: number }).n;
  });
}

function countOf(table: string): number {
  const row = inIndex((index) => index.prepare(`SELECT count(*) AS n FROM ${table}`).get());
  return (row as { n: number }).n;
}

describe("a text that spans of a trace repeat", () => {
  it("is indexed once, and leads to each of them", async () => {
    await append(callOf(1, HISTORY), callOf(2, HISTORY, "second"));
    expect(await found("needles")).toEqual([["call1", "call2"], 1]);
    await append(callOf(3, HISTORY, "second", "third"));
    await append(storedSpan({ traceId: traceIdOf(2), name: "other", inputs: HISTORY }));
    expect(await found('"question about needles"')).toEqual([
      ["call1", "call2", "call3", "other"],
      2,
    ]);
    expect(await found("needles second")).toEqual([["call2", "call3"], 1]);
    expect(await found("third call1")).toEqual([[], 1]);
    // Once in each of the two traces.
    expect(occurrences("needles")).toBe(2);
    expect(occurrences("second")).toBe(1);
  });

  it("is found when it was indexed by a server before", async () => {
    await append(callOf(1, HISTORY));
    expect(await found("needles")).toEqual([["call1"], 1]);
    await store.close();
    store = await openSqliteStore({ directory });
    await append(callOf(2, HISTORY));
    expect(await found("needles")).toEqual([["call1", "call2"], 1]);
    // The server does not know any more what the one before has indexed.
    expect(occurrences("needles")).toBe(2);
  });

  it("is found by the others when the first is replaced, and no longer by what it was", async () => {
    await append(callOf(1, HISTORY, "before"), callOf(2, HISTORY));
    expect(await found("needles")).toEqual([["call1", "call2"], 1]);
    await append(callOf(1, "after"));
    expect(await found("needles")).toEqual([["call2"], 1]);
    expect(await found("before")).toEqual([[], 0]);
    expect(await found("after needles")).toEqual([[], 1]);
    await append(callOf(2, "nothing"));
    expect(await found("needles")).toEqual([[], 0]);
    expect(await found("after nothing")).toEqual([[], 1]);
    expect([countOf("stale_traces"), countOf("documents")]).toEqual([0, 1]);
    expect(occurrences("needles")).toBe(0);
  });

  it("is found after its trace was merged and a span replaced", async () => {
    await store.close();
    store = await openSqliteStore({ directory, quietMs: 1 });
    await append(callOf(1, HISTORY));
    await append(callOf(2, HISTORY, "before"));
    expect(await found("before")).toEqual([["call2"], 1]);
    const segments = () => {
      using db = new DatabaseSync(filesIn(directory).spans, { readOnly: true });
      return (db.prepare("SELECT count(*) AS n FROM segments").get() as { n: number }).n;
    };
    await expect.poll(segments, { timeout: 20_000 }).toBe(1);
    expect(await found("needles before")).toEqual([["call2"], 1]);
    await append(callOf(1, "after"));
    expect(await found("needles")).toEqual([["call2"], 1]);
    expect(await found("after before")).toEqual([[], 1]);
  }, 30_000);

  it("leaves the index with its trace", async () => {
    await append(callOf(1, HISTORY), storedSpan({ traceId: traceIdOf(2), inputs: "stays" }));
    expect(await found("needles")).toEqual([["call1"], 1]);
    await store.deleteTrace(PROJECT, traceIdOf(1));
    expect(await found("needles")).toEqual([[], 0]);
    await expect.poll(() => store.searchCaughtUp().then(() => countOf("documents"))).toBe(1);
    expect(occurrences("needles")).toBe(0);
    expect((await found("stays"))[1]).toBe(1);
  });
});

it("finds the first and the last word of texts that are longer than what is held at a time", async () => {
  // A million characters are held.
  const filler = "filler ".repeat(90_000);
  await append(...[1, 2, 3].map((n) => callOf(n, `first${n} ${filler} ${n} last${n}`, HISTORY)));
  for (const n of [1, 2, 3]) {
    expect(await found(`first${n} last${n} needles`)).toEqual([[`call${n}`], 1]);
  }
  expect(await found("first1 last3")).toEqual([[], 1]);
  expect(countOf("documents")).toBe(2);
});

it("lets a trace rest after it was indexed again, but a small one not while a caller waits", async () => {
  await append(callOf(1, HISTORY));
  await store.searchCaughtUp();
  await store.close();
  const indexer = new SpanIndexer(directory, () => expect.fail("nothing is wrong"));
  const mark = () => inIndex((index) => index.exec("INSERT INTO stale_traces VALUES (1, 1)"));
  let clock = 0;
  let tick = 1;
  const now = vi.spyOn(performance, "now").mockImplementation(() => {
    clock += tick;
    return clock;
  });
  try {
    mark();
    expect([indexer.reindexSome(false), indexer.reindexSome(false)]).toEqual([true, false]);
    expect(indexer.nextReindexing()).toBeUndefined();
    mark();
    expect(indexer.reindexSome(false)).toBe(false);
    expect(indexer.nextReindexing()).toBeGreaterThan(0);
    expect(indexer.reindexSome(true)).toBe(true);
    clock += 1_000;
    tick = 201;
    mark();
    expect(indexer.reindexSome(false)).toBe(true);
    mark();
    tick = 0;
    expect(indexer.reindexSome(true)).toBe(false);
    clock += indexer.nextReindexing() ?? 0;
    expect(indexer.reindexSome(false)).toBe(true);
  } finally {
    now.mockRestore();
    indexer.close();
  }
  store = await openSqliteStore({ directory });
  expect(await found("needles")).toEqual([["call1"], 1]);
  expect(countOf("documents")).toBe(1);
});

describe("a trace with more spans than are indexed again at a time", () => {
  const COUNT = 2_500;
  const spans = Array.from({ length: COUNT }, (_, n) => callOf(n, HISTORY, `word${n}`));

  it("is found by all of them when one was replaced", async () => {
    await append(...spans);
    await store.searchCaughtUp();
    await append(callOf(0, "replaced"), callOf(7, HISTORY, "another"));
    await expect.poll(() => found("word0"), { timeout: 30_000 }).toEqual([[], 0]);
    expect(await found("word7")).toEqual([[], 0]);
    expect(await found("replaced needles word2499 another")).toEqual([[], 1]);
    expect(await found("another needles")).toEqual([["call7"], 1]);
    expect(await found("word1001")).toEqual([["call1001"], 1]);
    expect(occurrences("needles")).toBe(1);
  }, 60_000);

  it("loses no word while it is indexed again, also when that is broken off", async () => {
    await append(...spans);
    await store.searchCaughtUp();
    await append(callOf(0, "replaced"));
    await store.close();
    const fail = () => expect.fail("nothing is wrong");
    const words = ["word1", "word1200", "word2499", "replaced", "needles"];
    const tracesWith = (word: string) =>
      inIndex((index) =>
        index.prepare("SELECT 1 FROM trace_words WHERE trace_words MATCH ?").all(word),
      );
    const broken = new SpanIndexer(directory, fail);
    while (broken.indexSome());
    expect(broken.removeSome()).toHaveLength(1);
    expect(broken.reindexSome(true)).toBe(true);
    for (const word of words) expect(tracesWith(word), word).not.toEqual([]);
    expect(tracesWith("word0")).not.toEqual([]);
    broken.close();

    const again = new SpanIndexer(directory, fail);
    expect(again.nextReindexing()).toBe(0);
    let steps = 0;
    while (again.reindexSome(true)) steps++;
    expect(steps).toBeGreaterThan(2);
    expect(again.nextReindexing()).toBeUndefined();
    again.close();
    for (const word of words) expect(tracesWith(word), word).toHaveLength(1);
    expect(tracesWith("word0")).toEqual([]);
    store = await openSqliteStore({ directory });
    expect(await found("word1200 needles")).toEqual([["call1200"], 1]);
  }, 60_000);
});
