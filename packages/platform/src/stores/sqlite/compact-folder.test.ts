import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, it } from "vitest";
import { assemble } from "../contract/expected-tree.fixture.ts";
import { spanIdOf, storedSpan, traceIdOf } from "../contract/stored-span.fixture.ts";
import { StoreRefusalError } from "../store-errors.ts";
import { checkFolder } from "./check-folder.ts";
import { compactFolder } from "./compact-folder.ts";
import { filesIn, UNFINISHED_COPY } from "./data-directory.ts";
import { canShrink, fileUse } from "./free-pages.ts";
import { openSqliteStore } from "./sqlite-store.ts";

const PROJECT = "default";
const TRACES = 60;

let directory: string;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "agate-compact-"));
  const store = await openSqliteStore({ directory });
  const spans = Array.from({ length: TRACES }, (_, n) =>
    storedSpan({ traceId: traceIdOf(n), id: spanIdOf(n + 1), inputs: `word${n} `.repeat(2_000) }),
  );
  await store.append({ project: PROJECT, receivedAt: 1, spans });
  await store.searchCaughtUp();
  await store.close();
  for (const file of databases()) {
    using db = new DatabaseSync(file);
    // As versions before made it, with free pages.
    db.exec(`PRAGMA auto_vacuum = NONE; VACUUM;
      CREATE TABLE deleted AS WITH RECURSIVE n (x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM n WHERE x < 500)
        SELECT zeroblob(4000) FROM n;
      DROP TABLE deleted`);
  }
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const databases = () => [filesIn(directory).spans, filesIn(directory).index];

it("writes the databases anew without free pages, and has them shrink from then on", async () => {
  const before = databases().map((file) => statSync(file).size);
  const compacted = compactFolder(directory);
  const after = databases().map((file) => statSync(file).size);
  expect(compacted).toEqual(
    databases().map((file, n) => ({ file, bytesBefore: before[n], bytesAfter: after[n] })),
  );
  for (const file of databases()) {
    expect(statSync(file).mode & 0o777).toBe(0o600);
    using db = new DatabaseSync(file, { readOnly: true });
    expect(canShrink(db)).toBe(true);
    expect(fileUse(db).freeBytes).toBe(0);
  }
  expect(readdirSync(directory).filter((name) => name.includes(UNFINISHED_COPY))).toEqual([]);
  const signal = new AbortController().signal;
  expect(checkFolder(directory, { repairIndex: false, signal })).toMatchObject({
    traces: TRACES,
    damaged: [],
    problems: [],
    indexProblems: [],
  });
  const store = await openSqliteStore({ directory });
  const read = await store.readTree(PROJECT, { kind: "span", spanId: spanIdOf(7) });
  expect((await assemble(read))?.id).toBe(spanIdOf(7));
  const request = { project: PROJECT, filter: { text: "word11" }, limit: 10, after: null };
  expect((await store.listTraces(request)).items).toHaveLength(1);
  await store.close();
});

it("refuses a folder that a server uses, and leaves its files alone", async () => {
  const store = await openSqliteStore({ directory });
  expect(() => compactFolder(directory)).toThrow(StoreRefusalError);
  await store.close();
});

it("does away with what a killed run has left, as does the next server", async () => {
  const leftOver = filesIn(directory).spans + UNFINISHED_COPY;
  writeFileSync(leftOver, "half of a copy");
  await (await openSqliteStore({ directory })).close();
  expect(existsSync(leftOver)).toBe(false);
  writeFileSync(leftOver, "half of a copy");
  compactFolder(directory);
  expect(existsSync(leftOver)).toBe(false);
});
