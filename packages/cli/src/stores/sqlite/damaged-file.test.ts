import { mkdtempSync, rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readTree } from "../../traces/read-tree.ts";
import { spanIdOf, storedSpan, traceIdOf } from "../contract/stored-span.fixture.ts";
import { DamagedSegmentError } from "../segments/segment-checksum.ts";
import type { SpanStore } from "../span-store.ts";
import { filesIn } from "./data-directory.ts";
import { DataDirectoryError } from "./data-directory-error.ts";
import { openSqliteStore } from "./sqlite-store.ts";

const TRACES = 120;
const FLIPS = 200;

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "agate-flipped-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** Numbers from 0 up to 1, the same for the same seed. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

async function fill(): Promise<void> {
  const store = await openSqliteStore({ directory });
  // Every third trace comes in two batches, every fifth in one that is too large for a segment.
  for (const batch of [0, 1]) {
    const spans = Array.from({ length: TRACES }, (_, n) => n)
      .filter((n) => batch === 0 || n % 3 === 0)
      .flatMap((n) =>
        Array.from({ length: 4 }, (_, s) =>
          storedSpan({
            traceId: traceIdOf(n),
            id: spanIdOf(n * 16 + batch * 4 + s + 1),
            parentId: batch + s === 0 ? null : spanIdOf(n * 16 + 1),
            start: n * 100 + batch * 4 + s,
            inputs: "word ".repeat(n % 5 === 0 ? 9_000 : 60),
          }),
        ),
      );
    await store.append({ project: "default", receivedAt: 1, spans });
  }
  await store.close();
}

/** The whole answer; or why there is none. */
async function answerOf(store: SpanStore, n: number): Promise<string> {
  try {
    const tree = await readTree(store, "default", { kind: "trace", traceId: traceIdOf(n) });
    if (tree.kind === "missing") return "missing";
    if (tree.kind === "whole") return Buffer.from(tree.json).toString();
    const chunks: Uint8Array[] = [];
    for await (const chunk of tree.chunks) chunks.push(chunk);
    return Buffer.concat(chunks).toString();
  } catch (error) {
    if (!(error instanceof DamagedSegmentError)) throw error;
    expect(error.traceId).toBe(traceIdOf(n));
    return "damaged";
  }
}

async function answers(): Promise<string[]> {
  const store = await openSqliteStore({
    directory,
    onFailure: (error) => expect.fail(String(error)),
  });
  try {
    return await Promise.all(Array.from({ length: TRACES }, (_, n) => answerOf(store, n)));
  } finally {
    await store.close();
  }
}

describe("a database in which bytes have changed", () => {
  // 200 flips changed 174 traces without a word before there were checksums.
  it.each([1, 2, 3])(
    "gives each trace as it was, or an error, after 200 flips (seed %i)",
    async (seed) => {
      await fill();
      const file = filesIn(directory).spans;
      const originals = await answers();
      expect(originals.filter((text) => text.length < 100)).toEqual([]);
      const random = randomNumbers(seed);
      {
        await using handle = await open(file, "r+");
        const { size } = await handle.stat();
        for (let n = 0; n < FLIPS; n++) {
          // Not the schema, without which SQLite opens nothing.
          const at = 8192 + Math.floor(random() * (size - 8192));
          const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, at);
          buffer[0] = (buffer[0] as number) ^ (1 + Math.floor(random() * 255));
          await handle.write(buffer, 0, 1, at);
        }
      }
      let after: string[];
      try {
        after = await answers();
      } catch (error) {
        // A small database is checked whole before it is opened.
        expect(error).toBeInstanceOf(DataDirectoryError);
        // As a large one is: only at its ends.
        after = await answersUnchecked();
      }
      const changed = after.filter((text, n) => text !== originals[n]);
      expect(changed).toContain("damaged");
      // A changed byte in SQLite's own index by trace id hides a trace: `agate check` finds it.
      expect(changed.filter((text) => text !== "damaged" && text !== "missing")).toEqual([]);
    },
  );
});

it("leaves a damaged trace out of lists, names it in the log, and shows the others", async () => {
  await fill();
  {
    using db = new DatabaseSync(filesIn(directory).spans);
    db.exec(`UPDATE segments SET body = CAST(replace(CAST(body AS TEXT), 'word', 'wird') AS BLOB)
      WHERE segment = (SELECT trace_no * 1048576 FROM traces WHERE trace_id = '${traceIdOf(7)}')`);
  }
  const troubles: string[] = [];
  const store = await openSqliteStore({
    directory,
    onTrouble: ({ error }) => troubles.push(String(error)),
  });
  const request = { project: "default", filter: {}, limit: 1000, maxBytes: 2 ** 30, after: null };
  const traces = await store.listTraces(request);
  const spans = await store.listSpans(request);
  await store.close();
  expect(traces.items).toHaveLength(TRACES - 1);
  expect(traces).toMatchObject({ next: null, damaged: [traceIdOf(7)] });
  expect(spans.damaged).toEqual([traceIdOf(7)]);
  expect(`${traces.items}${spans.items}`).not.toContain("wird");
  expect(troubles).toEqual([
    expect.stringContaining(traceIdOf(7)),
    expect.stringContaining(traceIdOf(7)),
  ]);
});

async function answersUnchecked(): Promise<string[]> {
  const { TraceReader } = await import("./trace-reader.ts");
  using db = new DatabaseSync(filesIn(directory).spans, { readOnly: true });
  db.prepare("ATTACH DATABASE ? AS derived").run(filesIn(directory).index);
  const reader = new TraceReader(db);
  const store = { readTree: reader.readTree.bind(reader) } as unknown as SpanStore;
  const texts: string[] = [];
  for (let n = 0; n < TRACES; n++) texts.push(await answerOf(store, n));
  return texts;
}
