import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { StoredSpan } from "@agate/spans";
import { afterEach, beforeEach, expect, it } from "vitest";
import { spanIdOf, storedSpan, traceIdOf } from "../contract/stored-span.fixture.ts";
import type { SpanFilter } from "../span-query.ts";
import type { SpanStore } from "../span-store.ts";
import { checkFolder } from "./check-folder.ts";
import { filesIn, openDataDirectory } from "./data-directory.ts";
import { SpanExporter } from "./span-exporter.ts";
import { MIGRATIONS } from "./span-schema.ts";
import { openSqliteStore } from "./sqlite-store.ts";

let directory: string;
let store: SpanStore;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "agate-older-"));
});
afterEach(async () => {
  await store.close();
  rmSync(directory, { recursive: true, force: true });
});

/** A database of schema 2 with these spans, which knew neither routes nor revisions. */
async function writeOlder(batches: readonly (readonly StoredSpan[])[]): Promise<void> {
  const newer = join(directory, "newer");
  store = await openSqliteStore({ directory: newer });
  for (const spans of batches) await append(spans);
  await store.close();
  openDataDirectory(directory, MIGRATIONS.slice(0, 2)).release();
  using db = new DatabaseSync(filesIn(directory).spans);
  db.prepare("ATTACH DATABASE ? AS newer").run(filesIn(newer).spans);
  for (const table of ["traces", "segments", "spans"]) {
    const columns = db.prepare("SELECT name FROM pragma_table_info(?)").all(table);
    const names = columns.map(({ name }) => name).join();
    db.exec(`INSERT INTO main.${table} (${names}) SELECT ${names} FROM newer.${table}`);
  }
}

async function append(spans: readonly StoredSpan[]): Promise<void> {
  const outcome = await store.append({ project: "default", receivedAt: 1, spans });
  expect(outcome).toEqual({ kind: "committed" });
}

async function idsOf(verb: "listTraces" | "listSpans", filter: SpanFilter): Promise<string[]> {
  const page = await store[verb]({ project: "default", filter, limit: 1000, after: null });
  return page.items.map((item) => JSON.parse(item).id).sort();
}

it("finds what an older version wrote by route and revision, after a while", async () => {
  const many = Array.from({ length: 300 }, (_, n) => [
    storedSpan({ traceId: traceIdOf(n), id: spanIdOf(2 * n), name: "GET /chat" }),
    storedSpan({
      traceId: traceIdOf(n),
      id: spanIdOf(2 * n + 1),
      parentId: spanIdOf(2 * n),
      route: n % 3 === 0 ? "/ünï" : "/other",
      variant: "default",
      revision: n % 2,
    }),
  ]);
  // One trace came in two parts, and others have neither route nor revision.
  const [first, second] = many[3] as [StoredSpan, StoredSpan];
  const plain = [storedSpan({ traceId: traceIdOf(999), id: spanIdOf(999) })];
  await writeOlder([[second], many.filter((_, n) => n !== 3).flat(), [first], plain]);
  store = await openSqliteStore({ directory });

  await allFilled();
  const tops = Array.from({ length: 100 }, (_, n) => spanIdOf(6 * n));
  expect(await idsOf("listTraces", { route: "/ünï" })).toEqual(tops);
  const calls = Array.from({ length: 50 }, (_, n) => spanIdOf(12 * n + 7));
  const filter = { route: "/ünï", variant: "default", revision: 1 };
  expect(await idsOf("listSpans", filter)).toEqual(calls);
  expect(await idsOf("listTraces", {})).toHaveLength(301);
});

it("leaves alone what was sent again meanwhile", async () => {
  const before = storedSpan({ route: "/before", revision: 1 });
  // So many that the first step is not the last.
  const others = Array.from({ length: 500 }, (_, n) =>
    storedSpan({ traceId: traceIdOf(2), id: spanIdOf(10 + n), route: "/rest" }),
  );
  await writeOlder([others, [before]]);
  store = await openSqliteStore({ directory });
  await append([storedSpan({ route: "/after" })]);
  await allFilled();
  expect(await idsOf("listSpans", { route: "/rest" })).toHaveLength(500);
  expect(await idsOf("listSpans", { route: "/after" })).toEqual([before.id]);
  expect(await idsOf("listTraces", { route: "/after" })).toEqual([before.id]);
  expect(await idsOf("listSpans", { route: "/before" })).toEqual([]);
});

it("exports the same before and after they are filled in, and is found sound", async () => {
  const spans = [storedSpan({ route: "/ünï", revision: 3 }), storedSpan({ id: spanIdOf(2) })];
  await writeOlder([spans]);
  openDataDirectory(directory).release();
  {
    using db = new DatabaseSync(filesIn(directory).spans, { readOnly: true });
    const { parts } = new SpanExporter(db).partsAfter(null);
    expect(parts).toMatchObject([{ project: "default", spans }]);
  }
  expectSound();
  store = await openSqliteStore({ directory });
  await allFilled();
  const exported: StoredSpan[] = [];
  for await (const part of store.exportSpans(null)) exported.push(...part.spans);
  expect(exported).toEqual(spans);
  await store.close();
  expectSound();
  store = await openSqliteStore({ directory });
});

function expectSound(): void {
  const options = { repairIndex: false, signal: new AbortController().signal };
  const report = checkFolder(directory, options);
  expect(report).toMatchObject({ damaged: [], listedWrongly: [], problems: [] });
}

async function allFilled(): Promise<void> {
  using db = new DatabaseSync(filesIn(directory).spans, { readOnly: true });
  const left = db.prepare("SELECT * FROM older_segments");
  await expect.poll(() => left.get(), { timeout: 15_000 }).toBeUndefined();
}
