import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, expect, it } from "vitest";
import { spanIdOf, storedSpan, traceIdOf } from "../contract/stored-span.fixture.ts";
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
     PRAGMA user_version = 11`,
  );
  change(
    "index",
    `DELETE FROM spans_text WHERE rowid IN (1, 2);
     ALTER TABLE progress DROP COLUMN contents; PRAGMA user_version = 1`,
  );
  expect(await found("needle")).toEqual(["called"]);
  expect(await found("lost")).toEqual([]);
});

it("indexes everything anew where the spans are those of an earlier backup", async () => {
  change("spans", "DELETE FROM sqlite_sequence WHERE name = 'logged_spans'");
  expect(await found("lost")).toEqual(["other"]);
  expect(await found("needle")).toEqual(["called"]);
});
