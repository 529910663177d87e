import { createReadStream } from "node:fs";
import {
  cp,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rm,
  stat,
  truncate,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { packTar } from "modern-tar";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { storedScore } from "../stores/contract/stored-score.fixture.ts";
import { spanIdOf, storedSpan, traceIdOf } from "../stores/contract/stored-span.fixture.ts";
import { openSqliteRegistry } from "../stores/registry/open-sqlite-registry.ts";
import type { StoredScore } from "../stores/score-store.ts";
import { openDataDirectory, RESTORE_MARK } from "../stores/sqlite/data-directory.ts";
import { canShrink } from "../stores/sqlite/free-pages.ts";
import { openSqliteStore } from "../stores/sqlite/sqlite-store.ts";
import type { RestoreRequest } from "./restore-backup.ts";
import { restoreBackup } from "./restore-backup.ts";
import { backUpFolder, saveBackup } from "./save-backup.ts";

let folder: string;
let source: string;
let backup: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "agate-backup-"));
  source = join(folder, "source");
  backup = join(folder, "backup.tar");
  await fill(source, 1);
  await backUpFolder(source, backup, () => {});
});
afterAll(() => rm(folder, { recursive: true }));

async function fill(directory: string, first: number): Promise<void> {
  const store = await openSqliteStore({ directory });
  const spans = Array.from({ length: 50 }, (_, n) =>
    storedSpan({ traceId: traceIdOf(first + n), id: spanIdOf(first + n), inputs: `word${n}` }),
  );
  await store.append({ project: "default", receivedAt: 1, spans });
  await store.putScores({ project: "default", scores: scoresFrom(first) });
  const registry = await openSqliteRegistry(directory);
  await registry.destroy();
  await store.close();
}

/** One of a span that is there, and one of a trace that is not. */
function scoresFrom(first: number): StoredScore[] {
  return [first, first + 1_000].map((n) => storedScore({ traceId: traceIdOf(n) }));
}

async function scoresIn(directory: string): Promise<StoredScore[]> {
  const store = await openSqliteStore({ directory });
  try {
    const all: StoredScore[] = [];
    for await (const { scores } of store.exportScores(null)) all.push(...scores);
    return all;
  } finally {
    await store.close();
  }
}

async function tracesIn(directory: string): Promise<string[]> {
  const store = await openSqliteStore({ directory });
  try {
    const request = { project: "default", filter: {}, limit: 200, after: null };
    const { items } = await store.listTraces(request);
    return items.map((item) => JSON.parse(item).trace_id).sort();
  } finally {
    await store.close();
  }
}

function restore(request: Partial<RestoreRequest> & { readonly dataDirectory: string }) {
  const { signal } = new AbortController();
  return restoreBackup({ backup, replace: false, signal, ...request });
}

async function namesIn(directory: string): Promise<string[]> {
  return (await readdir(directory)).sort();
}

describe("a restored data directory", () => {
  it("has every trace and score, found by word too, in files that only its owner can read", async () => {
    const target = join(folder, "whole");
    await restore({ dataDirectory: target });
    expect(await namesIn(target)).toEqual(["agate.lock", "registry.db", "spans.db"]);
    for (const name of ["registry.db", "spans.db"]) {
      expect((await stat(join(target, name))).mode & 0o777).toBe(0o600);
    }
    expect((await stat(backup)).mode & 0o777).toBe(0o600);
    expect(await tracesIn(target)).toEqual(await tracesIn(source));
    expect(await scoresIn(target)).toEqual(scoresFrom(1));
    const store = await openSqliteStore({ directory: target });
    await store.searchCaughtUp();
    const found = await store.listSpans({
      project: "default",
      filter: { text: "word7" },
      limit: 10,
      after: null,
    });
    await store.close();
    expect(found.items).toHaveLength(1);
  });

  it("gives its free pages back, also where the store that was copied does not", async () => {
    const earlier = join(folder, "earlier");
    await cp(source, earlier, { recursive: true });
    {
      using db = new DatabaseSync(join(earlier, "spans.db"));
      db.exec("PRAGMA auto_vacuum = NONE; VACUUM");
      expect(canShrink(db)).toBe(false);
    }
    const copied = join(folder, "earlier.tar");
    await backUpFolder(earlier, copied, () => {});
    const target = join(folder, "of-earlier");
    await restore({ dataDirectory: target, backup: copied });
    using db = new DatabaseSync(join(target, "spans.db"), { readOnly: true });
    expect(canShrink(db)).toBe(true);
  });

  it("leaves nothing of what it replaced, a write-ahead log included", async () => {
    const target = join(folder, "replaced");
    await fill(target, 1000);
    // As a killed server leaves it.
    await writeFile(join(target, "spans.db-wal"), await readFile(join(target, "spans.db")));
    await writeFile(join(target, "kept.txt"), "mine");
    await restore({ dataDirectory: target, replace: true });
    expect(await namesIn(target)).toEqual(["agate.lock", "kept.txt", "registry.db", "spans.db"]);
    expect(await tracesIn(target)).toEqual(await tracesIn(source));
  });
});

describe("a restore is refused, and changes nothing,", () => {
  it("into a folder that holds something", async () => {
    const target = join(folder, "taken");
    await mkdir(target);
    await writeFile(join(target, "note.txt"), "mine");
    await expect(restore({ dataDirectory: target })).rejects.toThrow(/is not empty.*--replace/);
    expect(await namesIn(target)).toEqual(["note.txt"]);
  });

  it("into a folder that a server uses", async () => {
    const target = join(folder, "used");
    const store = await openSqliteStore({ directory: target });
    await expect(restore({ dataDirectory: target, replace: true })).rejects.toThrow(/in use/);
    await store.close();
  });

  it("from an archive with any byte changed", async () => {
    const target = join(folder, "damaged");
    const copy = join(folder, "damaged.tar");
    const { size } = await stat(backup);
    // Each block once: headers, content, padding that counts for nothing, and the manifest.
    for (let at = 17; at < size - 1024; at += Math.floor(size / 23)) {
      await cp(backup, copy);
      await using file = await open(copy, "r+");
      const { buffer } = await file.read(Buffer.alloc(1), 0, 1, at);
      await file.write(Buffer.from([(buffer[0] as number) ^ 0x20]), 0, 1, at);
      await expect(restore({ backup: copy, dataDirectory: target }), `byte ${at}`).rejects.toThrow(
        /damaged/,
      );
    }
    await expect(stat(target)).rejects.toThrow("ENOENT");
  });

  it("from an archive that ends early", async () => {
    const target = join(folder, "cut");
    const copy = join(folder, "cut.tar");
    const { size } = await stat(backup);
    for (const length of [0, 1, 511, 512, 4096, size / 2, size - 5000, size - 1536]) {
      await cp(backup, copy);
      await truncate(copy, Math.floor(length));
      await expect(
        restore({ backup: copy, dataDirectory: target }),
        `${length} of ${size} bytes`,
      ).rejects.toThrow(/damaged or incomplete/);
    }
    await expect(stat(target)).rejects.toThrow("ENOENT");
  });

  it("from an archive that names a file outside the folder", async () => {
    const copy = join(folder, "outside.tar");
    const path = "builds/x/../../../escaped";
    const file = { path, size: 0, sha256: "" };
    const body = JSON.stringify({
      format: 1,
      agate_version: "0",
      created_at: "2026-11-16T00:00:00Z",
      spans: "included",
      registry: "included",
      lost_builds: [],
      files: [file],
    });
    const entries = [
      { header: { name: path, size: 0 }, body: "" },
      { header: { name: "backup.json", size: body.length }, body },
    ];
    await writeFile(copy, await packTar(entries));
    const target = join(folder, "deep");
    await expect(restore({ backup: copy, dataDirectory: target })).rejects.toThrow(/manifest/);
    await expect(stat(join(folder, "escaped"))).rejects.toThrow("ENOENT");
  });
});

it("keeps a server from starting on a folder in which a restore was killed", async () => {
  const target = join(folder, "killed");
  await mkdir(target);
  await writeFile(join(target, RESTORE_MARK), "");
  expect(() => openDataDirectory(target)).toThrow(/interrupted.*agate restore/);
  await restore({ dataDirectory: target, replace: true });
  expect(await tracesIn(target)).toHaveLength(50);
});

it("leaves no file where the archive breaks off while it is saved", async () => {
  const target = join(folder, "half.tar");
  async function* half() {
    for await (const chunk of createReadStream(backup, { end: 20_000 })) yield chunk as Buffer;
    throw new Error("The connection broke.");
  }
  await expect(saveBackup(half(), target)).rejects.toThrow("The connection broke.");
  expect((await namesIn(folder)).filter((name) => name.startsWith("half"))).toEqual([]);
});
