import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { assemble } from "../contract/expected-tree.fixture.ts";
import { spanIdOf, storedSpan, traceIdOf } from "../contract/stored-span.fixture.ts";
import { filesIn, openDataDirectory } from "./data-directory.ts";
import {
  canShrink,
  FreePages,
  fileUse,
  keptBytes,
  LEAST_KEPT_BYTES,
  letShrink,
  MOST_KEPT_BYTES,
  stuckBytes,
  VACUUMED_AT_START_BYTES,
} from "./free-pages.ts";
import { openSqliteStore } from "./sqlite-store.ts";

const MIB = 1024 * 1024;
const PAGE_BYTES = 4096;
const PROJECT = "default";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "agate-free-pages-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

describe("FreePages", () => {
  /** A database of pages that are each a row, of which the first so many are deleted. */
  function databaseWith(free: number, used: number, isShrinking = true): DatabaseSync {
    const db = new DatabaseSync(join(directory, "pages.db"));
    if (isShrinking) letShrink(db);
    db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;
      CREATE TABLE pages (page INTEGER PRIMARY KEY, content BLOB NOT NULL)`);
    db.exec(`WITH RECURSIVE numbers (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM numbers WHERE n < ${free + used})
      INSERT INTO pages SELECT n, zeroblob(4000) FROM numbers`);
    db.exec(`DELETE FROM pages WHERE page <= ${free}`);
    return db;
  }
  function giveAll(db: DatabaseSync): number {
    const pages = new FreePages(db);
    let steps = 0;
    for (let isMore = true; isMore; steps++) {
      db.exec("BEGIN IMMEDIATE");
      isMore = pages.giveSome();
      db.exec("COMMIT");
    }
    db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    return steps - 1;
  }
  const pagesKept = (bytes: number) => Math.ceil(bytes / PAGE_BYTES);

  it.each([
    [0, LEAST_KEPT_BYTES],
    [64 * LEAST_KEPT_BYTES, LEAST_KEPT_BYTES],
    [64 * LEAST_KEPT_BYTES + 64, LEAST_KEPT_BYTES + 1],
    [64 * MOST_KEPT_BYTES - 64, MOST_KEPT_BYTES - 1],
    [64 * MOST_KEPT_BYTES, MOST_KEPT_BYTES],
    [1_000 * MOST_KEPT_BYTES, MOST_KEPT_BYTES],
  ])("keeps of a file that uses %i bytes %i free ones", (used, kept) => {
    expect(keptBytes(used)).toBe(kept);
  });

  it("gives back what is beyond that, and nothing of the rest", () => {
    using db = databaseWith(6 * 256, 256);
    expect(giveAll(db)).toBeGreaterThan(0);
    const { freeBytes, usedBytes } = fileUse(db);
    expect(freeBytes).toBe(LEAST_KEPT_BYTES);
    expect(statSync(join(directory, "pages.db")).size).toBe(freeBytes + usedBytes);
    expect(db.prepare("SELECT count(*) AS n, min(page) AS first FROM pages").get()).toEqual({
      n: 256,
      first: 6 * 256 + 1,
    });
    expect(db.prepare("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
    expect(giveAll(db)).toBe(0);
  });

  it.each([
    ["a page less", -1, 0],
    ["as many", 0, 0],
    ["a page more", 1, 1],
  ])("has %s free than it keeps", (_, more, given) => {
    const kept = pagesKept(LEAST_KEPT_BYTES);
    using db = databaseWith(kept + 64, 64);
    // Down to the number, of which each further row takes a page.
    giveAll(db);
    const insert = db.prepare("INSERT INTO pages (content) VALUES (zeroblob(4000))");
    const free = () => fileUse(db).freeBytes / PAGE_BYTES;
    while (free() > kept - 1) insert.run();
    const removeOne = db.prepare("DELETE FROM pages WHERE page = (SELECT max(page) FROM pages)");
    while (free() < kept + more) removeOne.run();
    expect(free()).toBe(kept + more);
    giveAll(db);
    expect(free()).toBe(kept + more - given);
  });

  it.each([
    { what: "that does not shrink", more: 1, isShrinking: false, isStuck: true },
    { what: "that does not shrink", more: 0, isShrinking: false, isStuck: false },
    { what: "that shrinks", more: 1, isShrinking: true, isStuck: false },
  ])("a file $what, with $more free pages too many, has stuck ones: $isStuck", (given) => {
    const free = pagesKept(LEAST_KEPT_BYTES) + given.more;
    using db = databaseWith(free + 64, 64, given.isShrinking);
    const insert = db.prepare("INSERT INTO pages (content) VALUES (zeroblob(4000))");
    while (fileUse(db).freeBytes > free * PAGE_BYTES) insert.run();
    expect(fileUse(db).freeBytes).toBe(free * PAGE_BYTES);
    expect(stuckBytes(db)).toBe(given.isStuck ? free * PAGE_BYTES : 0);
  });

  it("leaves a file as it is that does not note what it takes", () => {
    using db = databaseWith(6 * 256, 256, false);
    expect(canShrink(db)).toBe(false);
    const before = fileUse(db);
    expect(giveAll(db)).toBe(0);
    expect(fileUse(db)).toEqual(before);
  });
});

describe("a file of an earlier version", () => {
  /** Makes an empty store as versions before made it, whose file has about this length. */
  function makeEarlier(bytes: number): void {
    openDataDirectory(directory).release();
    using db = new DatabaseSync(filesIn(directory).spans);
    db.exec("PRAGMA auto_vacuum = NONE; VACUUM");
    const { usedBytes } = fileUse(db);
    const pages = Math.floor((bytes - usedBytes) / PAGE_BYTES);
    const insert = db.prepare("INSERT INTO segments VALUES (?, '', zeroblob(?))");
    // A page for each row.
    db.exec("BEGIN");
    for (let n = 0; n < pages; n++) insert.run(n, 3_500);
    db.exec("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)");
    expect(canShrink(db)).toBe(false);
  }
  function canShrinkAfterStart(): boolean {
    openDataDirectory(directory).release();
    using db = new DatabaseSync(filesIn(directory).spans, { readOnly: true });
    return canShrink(db);
  }

  it("shrinks from the first start on where it is small", () => {
    makeEarlier(VACUUMED_AT_START_BYTES - MIB);
    expect(canShrinkAfterStart()).toBe(true);
  });

  it("stays as it is where it is large", () => {
    makeEarlier(VACUUMED_AT_START_BYTES + MIB);
    expect(canShrinkAfterStart()).toBe(false);
  });
});

describe("a store", () => {
  const TRACES = 400;
  const traces = Array.from({ length: TRACES }, (_, n) => n + 1);
  const sizeOf = (file: "spans" | "index") => statSync(filesIn(directory)[file]).size;

  async function fill(store: Awaited<ReturnType<typeof openSqliteStore>>): Promise<void> {
    // Together, so that they share commits.
    const written = traces.map((n) => {
      // Each trace of its own text, so that none is a repeat; 40 KB that become some hundred bytes.
      const span = storedSpan({
        traceId: traceIdOf(n),
        id: spanIdOf(n),
        inputs: `word${n} `.repeat(5_000),
      });
      return store.append({ project: PROJECT, receivedAt: n, spans: [span] });
    });
    await Promise.all(written);
  }

  it("shrinks when its traces are packed and no reader needs what was there before", async () => {
    {
      const store = await openSqliteStore({ directory });
      await fill(store);
      await store.close();
    }
    const before = sizeOf("spans");
    const reader = new DatabaseSync(filesIn(directory).spans, { readOnly: true });
    const count = () => reader.prepare("SELECT count(*) AS n FROM traces").get();
    reader.exec("BEGIN");
    expect(count()).toEqual({ n: TRACES });
    const store = await openSqliteStore({ directory, quietMs: 0 });
    {
      using latest = new DatabaseSync(filesIn(directory).spans, { readOnly: true });
      const bytes = () => fileUse(latest).usedBytes + fileUse(latest).freeBytes;
      await expect.poll(bytes, { timeout: 30_000 }).toBeLessThan(8 * MIB);
    }
    expect(sizeOf("spans")).toBe(before);
    expect(count()).toEqual({ n: TRACES });
    reader.exec("COMMIT");
    reader.close();
    await expect.poll(() => sizeOf("spans"), { timeout: 30_000 }).toBeLessThan(8 * MIB);
    for (const n of [1, 200, TRACES]) {
      const read = await store.readTree(PROJECT, { kind: "trace", traceId: traceIdOf(n) });
      expect((await assemble(read))?.id).toBe(spanIdOf(n));
    }
    await store.close();
  });

  it.each([
    ["before its pages are moved", true],
    ["after its pages were moved", false],
  ])("shrinks its index when a reader has ended that blocked it %s", async (_, isWritten) => {
    {
      const store = await openSqliteStore({ directory });
      await store.searchCaughtUp();
      await store.close();
      using index = new DatabaseSync(filesIn(directory).index);
      index.exec(`PRAGMA synchronous = OFF; CREATE TABLE deleted AS SELECT zeroblob(${12 * MIB});
        DROP TABLE deleted`);
    }
    const before = sizeOf("index");
    expect(before).toBeGreaterThan(12 * MIB);
    const store = await openSqliteStore({ directory });
    const reader = new DatabaseSync(filesIn(directory).index, { readOnly: true });
    reader.exec("BEGIN");
    reader.prepare("SELECT * FROM progress").get();
    if (isWritten) await store.append({ project: PROJECT, receivedAt: 1, spans: [storedSpan()] });
    await store.searchCaughtUp();
    expect(sizeOf("index")).toBe(before);
    reader.close();
    await expect.poll(() => sizeOf("index"), { timeout: 30_000 }).toBeLessThan(8 * MIB);
    await store.close();
  });

  it("shrinks when traces are deleted", async () => {
    const store = await openSqliteStore({ directory });
    await fill(store);
    await expect.poll(() => sizeOf("spans"), { timeout: 30_000 }).toBeGreaterThan(12 * MIB);
    expect(await store.expire(TRACES - 10, TRACES)).toBe(TRACES - 11);
    await expect.poll(() => sizeOf("spans"), { timeout: 30_000 }).toBeLessThan(8 * MIB);
    const { items } = await store.listTraces({
      project: PROJECT,
      filter: {},
      limit: TRACES,
      after: null,
    });
    expect(items).toHaveLength(11);
    await store.close();
  });
});
