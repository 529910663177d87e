import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, it } from "vitest";
import { spanIdOf, storedSpan, traceIdOf } from "../stores/contract/stored-span.fixture.ts";
import type { SpanStore } from "../stores/span-store.ts";
import { filesIn } from "../stores/sqlite/data-directory.ts";
import { openSqliteStore } from "../stores/sqlite/sqlite-store.ts";
import type { SqliteAddress } from "../stores/store-address.ts";
import type { MigrationOutcome, MigrationRequest } from "./migrate-store.ts";
import { migrateStore } from "./migrate-store.ts";

let folder: string;
let stateFile: string;
let from: SqliteAddress;
let to: SqliteAddress;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "agate-migration-"));
  stateFile = join(folder, "state.json");
  from = { kind: "sqlite", directory: join(folder, "from") };
  to = { kind: "sqlite", directory: join(folder, "to") };
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function migrate(request: Partial<MigrationRequest> = {}): Promise<MigrationOutcome> {
  const { signal } = new AbortController();
  return migrateStore(
    { from, to, stateFile, restart: false, sampleSize: 10, signal, ...request },
    { copied: () => {}, waiting: () => {}, compared: () => {} },
  );
}

async function inStore({ directory }: SqliteAddress, work: (store: SpanStore) => Promise<unknown>) {
  const store = await openSqliteStore({ directory });
  try {
    await work(store);
  } finally {
    await store.close();
  }
}

/** The source, with one span. */
function fill(): Promise<void> {
  const batch = { project: "default", receivedAt: 1, spans: [storedSpan()] };
  return inStore(from, (store) => store.append(batch));
}

async function expectRefusal(reason: RegExp, request: Partial<MigrationRequest> = {}) {
  const outcome = await migrate(request);
  expect(outcome).toEqual({ kind: "refused", reason: expect.stringMatching(reason) });
}

it("copies a store, and everything again when it is told to begin anew", async () => {
  await fill();
  const copied = { kind: "finished", copied: 1, trees: { compared: 1, differing: [] } };
  expect(await migrate()).toMatchObject(copied);
  expect(await migrate({ restart: true })).toMatchObject(copied);
});

it("refuses a source that is not there, and makes none", async () => {
  await expectRefusal(/^There is no spans\.db in .*from\. Name the folder/);
  expect(existsSync(from.directory)).toBe(false);
  expect(existsSync(to.directory)).toBe(false);
});

it("refuses a copy onto itself, by another name too", async () => {
  await fill();
  await expectRefusal(/the same store/, { to: from });
  const link = join(folder, "link");
  symlinkSync(from.directory, link);
  await expectRefusal(/the same store/, { to: { kind: "sqlite", directory: link } });
});

it("refuses a folder that a server uses, on either side", async () => {
  await fill();
  await inStore(from, () => expectRefusal(/^A running server uses .*from\. Stop it first/));
  await inStore(to, () => expectRefusal(/^A running server uses .*to\. Stop it first/));
});

it("refuses a file that is damaged", async () => {
  mkdirSync(from.directory);
  writeFileSync(join(from.directory, "spans.db"), "something else");
  await expectRefusal(/is not a database, or is damaged\. .* or choose another folder\.$/);
});

it("refuses the state of another migration, another file, and one that cannot be written", async () => {
  await fill();
  await migrate({ to: { kind: "sqlite", directory: join(folder, "other") } });
  await expectRefusal(/belongs to a migration from sqlite:.*from to sqlite:.*other\./);
  writeFileSync(stateFile, '{"name":"other"}');
  await expectRefusal(/is not the state of a migration/);
  await expectRefusal(/is not the state of a migration/, { restart: true });
  expect(readFileSync(stateFile, "utf8")).toBe('{"name":"other"}');
  await expectRefusal(/cannot be written \(ENOENT\)/, { stateFile: join(folder, "no/state.json") });
});

it("names a damaged trace, keeps what it has copied, and goes on when the trace is gone", async () => {
  await inStore(from, async (store) => {
    for (const n of [1, 2, 3]) {
      const spans = [storedSpan({ traceId: traceIdOf(n), id: spanIdOf(n), inputs: "word" })];
      await store.append({ project: "default", receivedAt: n, spans });
    }
  });
  {
    using db = new DatabaseSync(filesIn(from.directory).spans);
    db.exec(`UPDATE segments SET body = CAST(replace(CAST(body AS TEXT), 'word', 'wird') AS BLOB)
      WHERE segment / 1048576 = (SELECT trace_no FROM traces WHERE trace_id = '${traceIdOf(2)}')`);
  }
  expect(await migrate()).toEqual({ kind: "damaged", traceId: traceIdOf(2) });
  await inStore(to, async (store) => {
    expect([...(await store.sizesOf("default", [1, 2, 3].map(traceIdOf)))]).toEqual([
      [traceIdOf(1), 1],
    ]);
  });
  await inStore(from, (store) => store.deleteTrace("default", traceIdOf(2)));
  expect(await migrate()).toMatchObject({ kind: "finished", missing: [] });
});
