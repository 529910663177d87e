import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { spanIdOf, storedSpan, traceIdOf, usageOf } from "../contract/stored-span.fixture.ts";
import { DamagedSegmentError } from "../segments/segment.ts";
import type { SpanFilter } from "../span-query.ts";
import type { SpanStore } from "../span-store.ts";
import { StoreRefusalError } from "../store-errors.ts";
import { readTree } from "../trees/read-tree.ts";
import { checkFolder } from "./check-folder.ts";
import { filesIn, openForReading } from "./data-directory.ts";
import { interruptMemory } from "./query-interrupt.ts";
import { QueryRunner } from "./query-runner.ts";
import { DataDirectoryError } from "./sqlite-errors.ts";
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
  it.each([1])(
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

/** A few traces with all that lists, filters and charts go by, and everything of them indexed. */
async function fillWithFigures(): Promise<void> {
  const store = await openSqliteStore({ directory });
  for (const batch of [0, 1]) {
    const spans = Array.from({ length: 20 }, (_, n) => n)
      .filter((n) => batch === 0 || n % 3 === 0)
      .flatMap((n) =>
        Array.from({ length: 3 }, (_, s) =>
          storedSpan({
            traceId: traceIdOf(n),
            id: spanIdOf(n * 16 + batch * 4 + s + 1),
            parentId: batch + s === 0 ? null : spanIdOf(n * 16 + 1),
            name: `step ${n % 4}`,
            status: n % 5 === 0 ? "ERROR" : "OK",
            start: n * 100 + batch * 4 + s,
            ...{ startNanos: n, latency: n + s / 8, userId: `user ${n % 3}`, sessionId: `s${n}` },
            ...{
              application: "app",
              route: "/run",
              variant: "v",
              revision: n,
              environment: "live",
            },
            figures: { role: "own", cost: 0.1 * n, usage: usageOf(n, s) },
            inputs: "word ".repeat(20),
          }),
        ),
      );
    await store.append({ project: "default", receivedAt: 1, spans });
  }
  await store.searchCaughtUp();
  await store.close();
}

/** What the reads of a store answer, each on its own; or why there is no answer. */
async function allReads(): Promise<string[]> {
  const { TraceReader } = await import("./trace-reader.ts");
  using parts = new DisposableStack();
  const runner = new QueryRunner(directory, interruptMemory());
  parts.defer(() => runner.close());
  const db = parts.use(openForReading(directory));
  const reader = new TraceReader(db);
  const store = { readTree: reader.readTree.bind(reader) } as unknown as SpanStore;
  const page = { project: "default", limit: 1000, maxBytes: 2 ** 30, after: null };
  const filters: SpanFilter[] = [
    {},
    { status: "ERROR" },
    { userId: "user 1" },
    { text: "word" },
    { minCost: 1 },
    { name: "step 2", route: "/run" },
  ];
  const start = Date.UTC(2026, 10, 1) * 1000;
  const window = { from: start, to: start + 10_000, interval: 1_000 };
  const questions: (() => unknown)[] = [
    ...filters.flatMap((filter) => [
      () => runner.listTraces(1, { ...page, filter }),
      () => runner.listSpans(1, { ...page, filter }),
    ]),
    ...(["user_id", "environment"] as const).map(
      (by) => () =>
        runner.analytics(1, {
          project: "default",
          filter: {},
          ...window,
          groups: { by, limit: 9 },
        }),
    ),
    ...Array.from({ length: 20 }, (_, n) => () => answerOf(store, n)),
  ];
  const texts: string[] = [];
  for (const ask of questions) {
    try {
      texts.push(JSON.stringify(await ask()));
    } catch (error) {
      texts.push(`refused: ${error}`);
    }
  }
  return texts;
}

describe("one changed byte in a database", () => {
  it("that changes any read, is found by `agate check` (40 bytes, one at a time)", async () => {
    await fillWithFigures();
    const file = filesIn(directory).spans;
    const sound = readFileSync(file);
    const originals = await allReads();
    expect(originals.filter((text) => text.startsWith("refused"))).toEqual([]);
    const rows = pagesWithout(sound, '"metadata"');
    const random = randomNumbers(13);
    const found = { sound: 0, silently: 0, refused: 0 };
    for (let round = 0; round < 40; round++) {
      const bytes = Buffer.from(sound);
      // Every other one is of the rows that lists are made of, which are a small part of the file.
      const page = round % 2 === 0 ? rows[Math.floor(random() * rows.length)] : undefined;
      const [first, length] = page ?? [0, bytes.length];
      // Not the header, by which SQLite knows what the file is.
      const at = Math.max(100, first + Math.floor(random() * length));
      bytes[at] = (bytes[at] as number) ^ (1 + Math.floor(random() * 255));
      writeFileSync(file, bytes);
      const reads = await allReads().catch((error) => [`refused: ${error}`]);
      const changed = reads.filter((text, n) => text !== originals[n]);
      const report = reportOf(directory);
      if (changed.length > 0) expect(report, `byte ${at}: ${changed[0]}`).not.toEqual([]);
      if (changed.length === 0) found.sound++;
      else if (changed.every((text) => /^refused|"damaged"/.test(text))) found.refused++;
      else found.silently++;
    }
    // The rounds were of each kind.
    expect(Math.min(...Object.values(found)), JSON.stringify(found)).toBeGreaterThan(0);
  }, 60_000);
});

/** The pages of a database in which this text does not occur: where each begins, and its length. */
function pagesWithout(file: Buffer, text: string): [first: number, length: number][] {
  const length = file.readUInt16BE(16);
  const starts = Array.from({ length: file.length / length }, (_, n) => n * length);
  return starts
    .filter((first) => !file.subarray(first, first + length).includes(text))
    .map((first) => [first, length]);
}

/** Everything that a check says is wrong. */
function reportOf(folder: string): unknown[] {
  try {
    const options = { repairIndex: false, signal: new AbortController().signal };
    const { damaged, listedWrongly, problems, indexProblems } = checkFolder(folder, options);
    return [...damaged, ...listedWrongly, ...problems, ...indexProblems];
  } catch (error) {
    if (!(error instanceof StoreRefusalError)) throw error;
    return [error.message];
  }
}

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
