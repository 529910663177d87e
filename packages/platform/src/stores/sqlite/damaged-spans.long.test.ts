import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { StoredSpan } from "@agate/spans";
import { afterEach, beforeEach, expect, it } from "vitest";
import { spanIdOf, storedSpan, traceIdOf } from "../contract/stored-span.fixture.ts";
import type { SpanFilter } from "../span-query.ts";
import type { SpanStore } from "../span-store.ts";
import { filesIn } from "./data-directory.ts";
import { removeIndex } from "./span-index-file.ts";
import { openSqliteStore } from "./sqlite-store.ts";

// A failure that one span causes at every attempt must not end the server: it would end it again
// after every restart.

let directory: string;
let store: SpanStore;
const troubles: string[] = [];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "agate-damaged-"));
  troubles.length = 0;
});
afterEach(async () => {
  await store.close();
  rmSync(directory, { recursive: true, force: true });
});

async function open(): Promise<void> {
  store = await openSqliteStore({
    directory,
    onFailure: (error) => expect.fail(String(error)),
    onTrouble: ({ what }) => troubles.push(what),
  });
}

/** Writes these spans, and changes the database while no server uses it. */
async function openDamaged(batches: readonly (readonly StoredSpan[])[], damage: string) {
  await open();
  for (const spans of batches) await append(spans);
  await store.searchCaughtUp();
  await store.close();
  {
    using db = new DatabaseSync(filesIn(directory).spans);
    db.exec(damage);
  }
  await open();
}

async function append(spans: readonly StoredSpan[]): Promise<void> {
  const outcome = await store.append({ project: "default", receivedAt: 1, spans });
  expect(outcome).toEqual({ kind: "committed" });
}

async function idsOf(verb: "listTraces" | "listSpans", filter: SpanFilter): Promise<string[]> {
  const page = await store[verb]({ project: "default", filter, limit: 1000, after: null });
  return page.items.map((item) => JSON.parse(item).id).sort();
}

const SEGMENT_OF_FIRST = "segment = (SELECT min(segment) FROM segments)";

it.each([
  ["header", "'['"],
  ["body", "x'5b'"],
])("indexes the other spans when a %s is damaged", async (part, value) => {
  const traces = [1, 2, 3].map((n) => [
    storedSpan({ traceId: traceIdOf(n), id: spanIdOf(n), inputs: "needle" }),
  ]);
  await openDamaged(traces, `UPDATE segments SET ${part} = ${value} WHERE ${SEGMENT_OF_FIRST}`);
  await store.close();
  removeIndex(filesIn(directory).index);
  await open();
  await store.searchCaughtUp();
  expect(await idsOf("listSpans", { text: "needle" })).toEqual([spanIdOf(2), spanIdOf(3)]);
  await expect
    .poll(() => troubles)
    .toEqual([`The text of span ${spanIdOf(1)} cannot be indexed: searches do not find it.`]);
  await append([storedSpan({ traceId: traceIdOf(4), id: spanIdOf(4), inputs: "needle" })]);
  await store.searchCaughtUp();
  expect(await idsOf("listSpans", { text: "needle" })).toHaveLength(3);
});

it("summarises the other traces when one cannot be summarised", async () => {
  const traces = [1, 2].map((n) => [
    storedSpan({ traceId: traceIdOf(n), id: spanIdOf(n), name: `top ${n}` }),
  ]);
  await openDamaged(
    traces,
    `UPDATE segments SET header = '[' WHERE ${SEGMENT_OF_FIRST};
     UPDATE traces SET summarised = 0, name = ''`,
  );
  await expect.poll(() => troubles).toEqual(["Trace number 1 could not be summarised."]);
  using db = new DatabaseSync(filesIn(directory).spans, { readOnly: true });
  const names = db.prepare("SELECT name FROM traces ORDER BY trace_no");
  await expect.poll(() => names.all().map(({ name }) => name)).toEqual(["", "top 2"]);
});

it("frees a deleted trace whose header is damaged", async () => {
  const spans = [storedSpan(), storedSpan({ id: spanIdOf(2) })];
  await openDamaged([spans], `UPDATE segments SET header = '[' WHERE ${SEGMENT_OF_FIRST}`);
  expect(await store.deleteTrace("default", traceIdOf(1))).toEqual({ kind: "deleted" });
  using db = new DatabaseSync(filesIn(directory).spans, { readOnly: true });
  const left = db.prepare(
    `SELECT (SELECT count(*) FROM spans) + (SELECT count(*) FROM segments)
       + (SELECT count(*) FROM deleted_traces) AS n`,
  );
  await expect.poll(() => left.get()).toEqual({ n: 0 });
  expect(troubles).toEqual([]);
});

it("completes the spans of older versions besides a segment that is damaged", async () => {
  const traces = [1, 2].map((n) => [
    storedSpan({ traceId: traceIdOf(n), id: spanIdOf(n), route: "/a" }),
  ]);
  await openDamaged(
    traces,
    `UPDATE spans SET route = NULL; UPDATE traces SET route = NULL;
     UPDATE segments SET body = x'5b' WHERE ${SEGMENT_OF_FIRST};
     INSERT INTO older_segments (next, end) SELECT min(segment), max(segment) + 1 FROM segments`,
  );
  await expect.poll(() => idsOf("listSpans", { route: "/a" })).toEqual([spanIdOf(2)]);
  expect(troubles).toHaveLength(1);
});
