import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setImmediate } from "node:timers/promises";
import type { StoredSpan } from "@agate/spans";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { spanIdOf, storedSpan, traceIdOf } from "../contract/stored-span.fixture.ts";
import { createBatchEncoder } from "../segments/segment-encoder.ts";
import { filesIn, openDataDirectory } from "./data-directory.ts";
import { SpanWriter } from "./span-writer.ts";
import { openSqliteStore } from "./sqlite-store.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "agate-erased-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const MARKER = "zanzibarmarker";

/** The files that have the marker in them, as text or as the rest of a word that FTS5 has cut. */
function filesWithMarker(): string[] {
  return readdirSync(directory).filter((name) =>
    readFileSync(join(directory, name)).includes(MARKER.slice(3)),
  );
}

describe("deleted content", () => {
  it.each([1, 400])(
    "is in none of the files any more, deleted among %i traces",
    async (others) => {
      const store = await openSqliteStore({ directory });
      const spans = Array.from({ length: others }, (_, n) =>
        storedSpan({ traceId: traceIdOf(n), id: spanIdOf(n + 1), inputs: `other words ${n}` }),
      );
      const secret = storedSpan({
        traceId: traceIdOf(9_999),
        id: spanIdOf(9_999),
        name: `name ${MARKER}`,
        inputs: `${MARKER} `.repeat(3_000),
      });
      await store.append({ project: "default", receivedAt: 1, spans });
      await store.append({ project: "default", receivedAt: 2, spans: [secret] });
      await store.searchCaughtUp();
      expect(filesWithMarker()).toContain("spans.db-wal");
      expect(await store.deleteTrace("default", traceIdOf(9_999))).toEqual({ kind: "deleted" });
      await expect.poll(filesWithMarker, { timeout: 20_000 }).toEqual([]);
      const { items } = await store.listTraces({
        project: "default",
        filter: { text: "words" },
        limit: 1_000,
        after: null,
      });
      expect(items).toHaveLength(others);
      await store.close();
    },
    30_000,
  );
});

describe("deleted content, while spans keep coming without a pause,", () => {
  const encode = createBatchEncoder();
  const batchOf = (...spans: StoredSpan[]) => encode({ project: "default", receivedAt: 1, spans });
  const secret = storedSpan({ traceId: traceIdOf(9_999), id: spanIdOf(9_999), inputs: MARKER });

  /** A writer that has committed the secret, and gets batches from so many clients until it is stopped. */
  async function busyWriter(clients: number) {
    openDataDirectory(directory).release();
    const writer = new SpanWriter(directory, {
      maxSpansPerTrace: 1_000,
      announce: () => {},
      onTrouble: ({ error }) => expect.fail(String(error)),
      eraseWithinMs: 50,
    });
    await writer.append(batchOf(secret));
    let count = 0;
    let isStopped = false;
    const client = async () => {
      while (!isStopped) {
        const n = ++count;
        await writer.append(batchOf(storedSpan({ traceId: traceIdOf(n), id: spanIdOf(n) })));
        // The poll of the test has its turn.
        await setImmediate();
      }
    };
    const work = Promise.all(Array.from({ length: clients }, client));
    return {
      writer,
      count: () => count,
      stop: async () => {
        isStopped = true;
        await work;
        await writer.close();
      },
    };
  }

  it.each([1, 8])(
    "leaves the files and the log (%i clients)",
    async (clients) => {
      const { writer, count, stop } = await busyWriter(clients);
      expect(filesWithMarker()).toEqual(["spans.db-wal"]);
      expect(writer.deleteTrace("default", secret.traceId)).toEqual({ kind: "deleted" });
      const before = count();
      await expect.poll(filesWithMarker, { timeout: 20_000 }).toEqual([]);
      await expect.poll(count).toBeGreaterThan(before);
      await stop();
    },
    30_000,
  );

  it("leaves the log when the last reader of it has gone", async () => {
    const { writer, count, stop } = await busyWriter(1);
    const reader = new DatabaseSync(filesIn(directory).spans, { readOnly: true });
    reader.exec("BEGIN; SELECT count(*) FROM traces");
    writer.deleteTrace("default", secret.traceId);
    const seen = count();
    await expect.poll(count).toBeGreaterThan(seen + 100);
    expect(filesWithMarker()).toContain("spans.db-wal");
    reader.close();
    await expect.poll(filesWithMarker, { timeout: 20_000 }).toEqual([]);
    await stop();
  }, 30_000);
});

describe("the data directory", () => {
  it("can be read by its owner alone, its older files too", async () => {
    const nested = join(directory, "data");
    const modes = () => [
      statSync(nested).mode & 0o777,
      ...readdirSync(nested).map((name) => statSync(join(nested, name)).mode & 0o777),
    ];
    const before = process.umask(0o022);
    try {
      for (const _ of ["created", "existing"]) {
        const store = await openSqliteStore({ directory: nested });
        await store.append({ project: "default", receivedAt: 1, spans: [storedSpan()] });
        await store.searchCaughtUp();
        expect(readdirSync(nested)).toEqual(
          expect.arrayContaining(["spans.db-wal", "index.db-shm"]),
        );
        expect(new Set(modes())).toEqual(new Set([0o700, 0o600]));
        await store.close();
      }
    } finally {
      process.umask(before);
    }
  });
});
