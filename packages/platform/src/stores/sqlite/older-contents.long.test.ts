import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, expect, it } from "vitest";
import { spanIdOf, storedSpan, traceIdOf } from "../contract/stored-span.fixture.ts";
import type { SpanStore } from "../span-store.ts";
import { toLoggedRow } from "../to-logged-row.ts";
import { filesIn } from "./data-directory.ts";
import { openSqliteStore } from "./sqlite-store.ts";

const directory = mkdtempSync(join(tmpdir(), "agate-older-contents-"));
afterAll(() => rm(directory, { recursive: true }));

const PROJECT = "default";

async function found(text: string): Promise<string[]> {
  const store = await openSqliteStore({ directory });
  try {
    await store.searchCaughtUp();
    const request = { project: PROJECT, filter: { text }, limit: 10, after: null };
    const { items } = await store.listSpans(request);
    return items.map((item) => JSON.parse(item).name);
  } finally {
    await store.close();
  }
}

/** As the index was before it had documents of traces. */
const NO_DOCUMENTS = `DROP TABLE trace_words; DROP TABLE trace_texts; DROP TABLE documents;
  DROP TABLE stale_traces; DROP TABLE id_hashes;`;

function change(file: "spans" | "index", sql: string): void {
  using db = new DatabaseSync(filesIn(directory)[file]);
  db.exec(sql);
}

it("finds content of a version that did not index it, without indexing all texts anew", async () => {
  const store = await openSqliteStore({ directory });
  const spans = [
    storedSpan({ name: "called", inputs: null }),
    storedSpan({ id: spanIdOf(2), name: "other", inputs: "lost" }),
  ];
  await store.append({ project: PROJECT, receivedAt: 1, spans });
  const place = { project: PROJECT, traceId: traceIdOf(1), spanId: spanIdOf(1) };
  const content = { inputs: '"needle"', outputs: null, asked: [], answered: [] };
  const row = toLoggedRow(content, { ...place, loggedAt: 1, receivedAt: 1 });
  if (row === undefined) throw new Error("too long");
  await store.putScores({ project: PROJECT, scores: [row] });
  await store.close();
  expect(await found("needle")).toEqual(["called"]);
  expect(await found("lost")).toEqual(["other"]);

  // As that version left it. No text in the index: those that are indexed again can be told from the others.
  change(
    "spans",
    `DROP TABLE logged_spans; ALTER TABLE traces DROP COLUMN unpriced_calls; DROP TABLE merge_progress;
     ALTER TABLE deleted_spans DROP COLUMN trace_no;
        DROP TABLE trace_zones; DROP TABLE span_zones; DROP TABLE unzoned; PRAGMA user_version = 11`,
  );
  change(
    "index",
    `${NO_DOCUMENTS} ALTER TABLE progress DROP COLUMN contents; PRAGMA user_version = 1`,
  );
  expect(await found("needle")).toEqual(["called"]);
  expect(await found("lost")).toEqual([]);
});

it("indexes everything anew where the spans are those of an earlier backup", async () => {
  change("spans", "DELETE FROM sqlite_sequence WHERE name = 'logged_spans'");
  expect(await found("lost")).toEqual(["other"]);
  expect(await found("needle")).toEqual(["called"]);
});

it("searches documents of spans, as versions before have written them, with those of traces", async () => {
  const folder = mkdtempSync(join(tmpdir(), "agate-older-documents-"));
  try {
    const spans = [
      storedSpan({ name: "first", inputs: ["red fox", "blue sky"] }),
      storedSpan({ id: spanIdOf(2), name: "second", inputs: ["red fox", "green"] }),
      storedSpan({ traceId: traceIdOf(2), name: "gone", inputs: "red sea" }),
    ];
    // In its document the phrase "fox blue" goes from one text to the next.
    await inStore(folder, (store) => store.append({ project: PROJECT, receivedAt: 1, spans }));
    {
      using index = new DatabaseSync(filesIn(folder).index);
      index.exec(`${NO_DOCUMENTS} PRAGMA user_version = 2`);
      const insert = index.prepare("INSERT INTO spans_text (rowid, text) VALUES (?, ?)");
      const texts = ["first\nred fox\nblue sky\nolder", "second\nred fox\ngreen", "gone\nred sea"];
      for (const [n, text] of texts.entries()) insert.run(n + 1, text);
    }
    await inStore(folder, async (store) => {
      const search = (text: string) => foundIn(store, text);
      expect(await search("red")).toEqual([["first", "gone", "second"], 2]);
      expect(await search('"red fox" green')).toEqual([["second"], 1]);
      for (const text of ['"red fox"', '"fox blue"', "fox-blue", '"fox blue" red']) {
        expect(await countOf(store, text), text).toBe((await search(text))[1]);
      }
      // A word that only the document has: it was not made anew.
      expect(await search("older")).toEqual([[], 1]);
      const more = storedSpan({ id: spanIdOf(3), name: "third", inputs: ["red fox", "yellow"] });
      await store.append({ project: PROJECT, receivedAt: 1, spans: [more] });
      expect(await search("yellow red")).toEqual([["third"], 1]);
      expect(await search("yellow blue")).toEqual([[], 1]);
      await store.deleteTrace(PROJECT, traceIdOf(2));
      expect(await search("sea")).toEqual([[], 0]);
      // The trace of a replaced span is indexed again, and has no document of its spans any more.
      const again = storedSpan({ name: "first", inputs: "grey" });
      await store.append({ project: PROJECT, receivedAt: 1, spans: [again] });
      expect(await search("older")).toEqual([[], 0]);
      expect(await search('"red fox"')).toEqual([["second", "third"], 1]);
      expect(await search("grey green")).toEqual([[], 1]);
    });
    using index = new DatabaseSync(filesIn(folder).index);
    expect(index.prepare("SELECT count(*) AS n FROM spans_text_docsize").get()).toEqual({ n: 0 });
  } finally {
    await rm(folder, { recursive: true });
  }
});

it("searches documents with the places of words, and ids as texts, as the version before has written them", async () => {
  const folder = mkdtempSync(join(tmpdir(), "agate-older-documents-"));
  try {
    const spans = [
      storedSpan({ name: "first", inputs: ["red fox", "blue sky"] }),
      storedSpan({ traceId: traceIdOf(2), id: spanIdOf(11), name: "gone", inputs: "red sea" }),
      storedSpan({
        traceId: traceIdOf(3),
        id: spanIdOf(12),
        name: "stays",
        inputs: "fox, not red",
      }),
    ];
    await inStore(folder, (store) => store.append({ project: PROJECT, receivedAt: 1, spans }));
    {
      using index = new DatabaseSync(filesIn(folder).index);
      index.exec("DROP TABLE trace_words; DROP TABLE id_hashes; PRAGMA user_version = 3");
      const insertId = index.prepare("INSERT INTO span_ids (span_id, span_no) VALUES (?, ?)");
      for (const [n, { id }] of spans.entries()) insertId.run(id, n + 1);
      const insert = index.prepare("INSERT INTO trace_texts (rowid, text) VALUES (?, ?)");
      const texts = ["first|red fox|blue sky|older", "gone|red sea", "stays|fox, not red|older"];
      for (const [n, text] of texts.entries()) insert.run(n + 1, text.replaceAll("|", " \ue83b "));
    }
    await inStore(folder, async (store) => {
      const search = (text: string) => foundIn(store, text);
      expect(await search("red")).toEqual([["first", "gone", "stays"], 3]);
      expect(await search('"red fox"')).toEqual([["first"], 1]);
      expect(await search('"fox blue"')).toEqual([[], 0]);
      // A word that only the documents have: they were not made anew.
      expect(await search("older")).toEqual([[], 2]);
      const more = [
        storedSpan({ id: spanIdOf(3), name: "third", inputs: ["fox red", "yellow"] }),
        storedSpan({
          traceId: traceIdOf(4),
          id: spanIdOf(13),
          name: "fourth",
          inputs: "a red fox",
        }),
      ];
      await store.append({ project: PROJECT, receivedAt: 1, spans: more });
      await store.searchCaughtUp();
      expect(await known(store)).toEqual([1, 3, 11, 12, 13]);
      // Of one trace, the texts are in documents of both kinds.
      expect(await search('"red fox"')).toEqual([["first", "fourth"], 2]);
      expect(await search('"fox red" "red fox"')).toEqual([[], 1]);
      expect(await search("yellow blue")).toEqual([[], 1]);
      await store.deleteTrace(PROJECT, traceIdOf(2));
      await store.deleteTrace(PROJECT, traceIdOf(4));
      expect(await search("sea")).toEqual([[], 0]);
      expect(await known(store)).toEqual([1, 3, 12]);
      expect(await search("red fox")).toEqual([["first", "stays", "third"], 2]);
      const again = storedSpan({ name: "first", inputs: "grey" });
      await store.append({ project: PROJECT, receivedAt: 1, spans: [again] });
      expect(await search("older")).toEqual([[], 1]);
      expect(await search('"red fox"')).toEqual([[], 0]);
      expect(await search("grey yellow")).toEqual([[], 1]);
    });
    using index = new DatabaseSync(filesIn(folder).index);
    const count = (table: string) =>
      index.prepare(`SELECT count(*) AS n FROM ${table}_docsize`).get();
    expect([count("trace_texts"), count("trace_words")]).toEqual([{ n: 1 }, { n: 1 }]);
    const ids = (table: string) => index.prepare(`SELECT count(*) AS n FROM ${table}`).get();
    // The span that was sent again has a new number.
    expect([ids("span_ids"), ids("id_hashes")]).toEqual([{ n: 1 }, { n: 2 }]);
    for (const table of ["trace_texts", "trace_words"]) {
      index.exec(`INSERT INTO ${table} (${table}) VALUES ('integrity-check')`);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});

async function inStore(
  folder: string,
  work: (store: SpanStore) => Promise<unknown>,
): Promise<void> {
  const store = await openSqliteStore({ directory: folder });
  try {
    await work(store);
    await store.searchCaughtUp();
  } finally {
    await store.close();
  }
}

/** Those of the numbers up to 13 that are the id of a span. */
async function known(store: SpanStore): Promise<number[]> {
  const found: number[] = [];
  for (let n = 1; n <= 13; n++) {
    const { kind } = await store.readTree(PROJECT, { kind: "span", spanId: spanIdOf(n) });
    if (kind !== "missing") found.push(n);
  }
  return found;
}

/** The spans that a search finds, by their names, and how many traces. */
async function foundIn(store: SpanStore, text: string): Promise<readonly [string[], number]> {
  await store.searchCaughtUp();
  const request = { project: PROJECT, filter: { text }, limit: 10, after: null };
  const { items } = await store.listSpans(request);
  const traces = await store.listTraces(request);
  return [items.map((item) => JSON.parse(item).name).sort(), traces.items.length];
}

/** How many traces analytics count for a search. */
async function countOf(store: SpanStore, text: string): Promise<number> {
  const end = Number.MAX_SAFE_INTEGER - 1;
  const range = { from: 0, to: end, interval: end, groups: null };
  const { total } = await store.analytics({ project: PROJECT, filter: { text }, ...range });
  return total.count;
}
