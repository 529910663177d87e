import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { spanIdOf, storedSpan, traceIdOf } from "../contract/stored-span.fixture.ts";
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
