import type { StoredSpan } from "@agate/spans";
import fc from "fast-check";
import { expect, it } from "vitest";
import { expectedTree } from "../contract/expected-tree.fixture.ts";
import { spanIdOf, storedSpan } from "../contract/stored-span.fixture.ts";
import type { NodesRead } from "./nest-records.ts";
import { nestRecords } from "./nest-records.ts";

/** A read whose records are in memory; tells how many were asked for at a time. */
function readOf(spans: readonly StoredSpan[]): { read: NodesRead; batches: number[] } {
  const batches: number[] = [];
  const read: NodesRead = {
    kind: "nodes",
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
