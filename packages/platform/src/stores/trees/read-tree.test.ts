import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { StoredSpan } from "@agate/spans";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { expectedTree } from "../contract/expected-tree.fixture.ts";
import { spanIdOf, storedSpan, traceIdOf, usageOf } from "../contract/stored-span.fixture.ts";
import type { SpanStore } from "../span-store.ts";
import { TraceGoneError } from "../span-store.ts";
import { filesIn } from "../sqlite/data-directory.ts";
import { openSqliteStore } from "../sqlite/sqlite-store.ts";
import type { NodesRead, TreeAnswer } from "./read-tree.ts";
import { nestRecords, readTree } from "./read-tree.ts";

let store: SpanStore;
let projects = 0;

async function append(project: string, spans: readonly StoredSpan[]): Promise<void> {
  expect(await store.append({ project, receivedAt: 1, spans })).toEqual({ kind: "committed" });
}

async function textOf(answer: TreeAnswer): Promise<string> {
  if (answer.kind === "missing") throw new Error("missing");
  if (answer.kind === "whole") return Buffer.from(answer.json).toString();
  const chunks: Uint8Array[] = [];
  for await (const chunk of answer.chunks) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

const FOCUS = { kind: "trace", traceId: traceIdOf(1) } as const;

/** Spans with any parents at all, in two commits. */
const anyTrace = fc
  .array(
    fc.record({
      parent: fc.option(fc.nat({ max: 14 })),
      start: fc.nat({ max: 5 }),
      text: fc.string({ unit: "binary", maxLength: 8 }),
      tokens: fc.option(fc.nat({ max: 9 })),
    }),
    { minLength: 2, maxLength: 12 },
  )
  .chain((spans) => fc.tuple(fc.constant(spans), fc.integer({ min: 1, max: spans.length - 1 })));

describe.each([
  ["in the thread that asks", Number.POSITIVE_INFINITY],
  ["in a thread of their own", 0],
])("readTree of traces, %s", (_, largeTraceSpans) => {
  const directory = mkdtempSync(join(tmpdir(), "agate-trees-"));
  beforeAll(async () => {
    store = await openSqliteStore({ directory, largeTraceSpans });
  });
  afterAll(async () => {
    await store.close();
    await rm(directory, { recursive: true });
  });

  it("nests any spans as the parsed tree would, from the top and from each span", async () => {
    await fc.assert(
      fc.asyncProperty(anyTrace, async ([sketches, cut]) => {
        const project = `any-${projects++}`;
        const spans = sketches.map(({ parent, start, text, tokens }, n) =>
          storedSpan({
            id: spanIdOf(n),
            parentId: parent === null ? null : spanIdOf(parent),
            start,
            inputs: text,
            figures:
              tokens === null ? null : { role: "own", usage: usageOf(tokens, 1), cost: tokens },
          }),
        );
        await append(project, spans.slice(0, cut));
        await append(project, spans.slice(cut));
        const answer = JSON.parse(await textOf(await readTree(store, project, FOCUS)));
        expect(answer).toEqual(expectedTree(spans));
        const rest = [answer];
        for (let record = rest.pop(); record !== undefined; record = rest.pop()) {
          const focus = { kind: "span", spanId: record.id } as const;
          const alone = await textOf(await readTree(store, project, focus));
          expect(JSON.parse(alone)).toEqual(record);
          rest.push(...(record.children ?? []));
        }
      }),
      { numRuns: 15 },
    );
  });

  it("streams what is too large for one buffer, and tells missing ones", async () => {
    const project = "large";
    const large = (n: number) =>
      storedSpan({
        id: spanIdOf(n),
        parentId: n === 1 ? null : spanIdOf(1),
        start: n,
        inputs: "é".repeat(30_000),
      });
    const spans = [1, 2, 3, 4, 5].map(large);
    for (const span of spans) await append(project, [span]);
    const answer = await readTree(store, project, FOCUS);
    expect(answer.kind).toBe("chunks");
    expect(JSON.parse(await textOf(answer))).toEqual(expectedTree(spans));
    const leaf = await readTree(store, project, { kind: "span", spanId: spanIdOf(5) });
    expect(leaf.kind).toBe("whole");
    expect(await readTree(store, project, { kind: "span", spanId: "none" })).toEqual({
      kind: "missing",
    });
    expect(await readTree(store, "elsewhere", FOCUS)).toEqual({ kind: "missing" });
  });

  it("fails half-way when the trace is deleted meanwhile, instead of ending early", async () => {
    const project = "deleted";
    // Far more than the store keeps at hand.
    const spans = Array.from({ length: 500 }, (_, n) =>
      storedSpan({
        id: spanIdOf(n + 1),
        parentId: n === 0 ? null : spanIdOf(1),
        start: n,
        inputs: "x".repeat(120_000),
      }),
    );
    for (let n = 0; n < spans.length; n += 50) await append(project, spans.slice(n, n + 50));
    const answer = await readTree(store, project, FOCUS);
    expect(await store.deleteTrace(project, traceIdOf(1))).toEqual({ kind: "deleted" });
    // Until its rows are freed, in the background, the read may as well end as it began.
    await rowsFreed(directory);
    await expect(textOf(answer)).rejects.toBeInstanceOf(TraceGoneError);
  });
});

/** Resolves when nothing is left of deleted traces. */
async function rowsFreed(directory: string): Promise<void> {
  using db = new DatabaseSync(filesIn(directory).spans, { readOnly: true });
  const left = db.prepare("SELECT count(*) AS traces FROM deleted_traces");
  await vi.waitFor(() => expect(left.get()).toEqual({ traces: 0 }), { timeout: 30_000 });
}

/** A read whose records are in memory; tells how many were asked for at a time. */
function readOf(spans: readonly StoredSpan[]): { read: NodesRead; batches: number[] } {
  const batches: number[] = [];
  const read: NodesRead = {
    kind: "nodes",
    added: null,
    nodes: spans,
    focus: null,
    openRecords: async (wanted) => {
      batches.push(wanted.length);
      return wanted.map((index) => Buffer.from(spans[index]!.openRecord));
    },
  };
  return { read, batches };
}

/** Records of some hundred to some thousand bytes, nested in any way. */
const anySpans = fc
  .array(fc.record({ parent: fc.nat(), length: fc.constantFrom(0, 0, 0, 50, 500, 5_000) }), {
    minLength: 1,
    maxLength: 40,
  })
  .map((sketches) =>
    sketches.map(({ parent, length }, n) =>
      storedSpan({
        id: spanIdOf(n),
        parentId: n === 0 ? null : spanIdOf(parent % n),
        start: n,
        inputs: "é".repeat(length),
      }),
    ),
  );

/** From less than a record up to more than all of them. */
const anyLimits = fc.record({
  chunkBytes: fc.constantFrom(1, 600, 1_000, 5_000, 100_000),
  batchBytes: fc.constantFrom(1, 1_000, 4_000, 100_000),
  firstBatch: fc.integer({ min: 1, max: 45 }),
  largestBatch: fc.integer({ min: 1, max: 45 }),
});

it("gives the same answer, wherever chunks and batches are cut", async () => {
  await fc.assert(
    fc.asyncProperty(anySpans, anyLimits, async (spans, limits) => {
      const { read, batches } = readOf(spans);
      const chunks: Uint8Array[] = [];
      for await (const chunk of nestRecords(read, limits)) chunks.push(chunk);
      expect(JSON.parse(Buffer.concat(chunks).toString())).toEqual(expectedTree(spans));
      // All but the last chunk are full.
      for (const chunk of chunks.slice(0, -1)) {
        expect(chunk.length).toBeGreaterThanOrEqual(limits.chunkBytes);
      }
      expect(batches.reduce((sum, length) => sum + length)).toBe(spans.length);
      const most = Math.max(limits.firstBatch, limits.largestBatch);
      expect(Math.max(...batches)).toBeLessThanOrEqual(most);
    }),
  );
});
