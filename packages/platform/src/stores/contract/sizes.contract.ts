import type { SpanRecord } from "@agate/protocol";
import type { StoredSpan } from "@agate/spans";
import { describe, expect, it } from "vitest";
import { SEGMENT_BYTES } from "../segments/segment-encoder.ts";
import { expectedTree, withoutChildren } from "./expected-tree.fixture.ts";
import { spanIdOf, storedSpan, traceIdOf, usageOf } from "./stored-span.fixture.ts";
import type { Subject } from "./subject.fixture.ts";

/** What a store may count for each span beside its record when it decides how to keep a trace. */
const GLUES = [0, 200, 400];
/** Numbers of commits around those that stores read at a time (32, 64, 256). */
const COMMITS = [1, 2, 31, 32, 33, 63, 64, 65, 128, 129, 255, 256, 257];
/** Numbers of spans around those that stores read, cut and number at a time. */
const SPANS = {
  all: [511, 512, 513, 1_023, 1_024, 1_025, 1_999, 2_000, 2_001],
  some: [512, 513, 1_024, 1_025, 2_000, 2_001],
};

/** How many of the sizes around a limit are tried. */
export type TraceSizes = keyof typeof SPANS;

/** Traces on both sides of every size at which a store keeps or reads them in another way. */
export function describeSizes(subject: Subject, mostCommits: number, sizes: TraceSizes): void {
  describe("traces of any size", () => {
    it.each([2, 100])(
      "come back whole at every sum of bytes, with %i spans",
      async (count) => {
        subject.fresh();
        // A store for which commits mean nothing has no segments: one limit is enough for it.
        const glues = mostCommits < 64 ? GLUES.slice(0, 1) : GLUES;
        const offs = mostCommits < 64 ? [0, 1] : [-1, 0, 1];
        const sums = glues.flatMap((glue) => offs.map((off) => SEGMENT_BYTES - glue * count + off));
        for (const [n, letter] of ["a", "ü"].entries()) {
          for (const [m, sum] of sums.entries()) {
            const spans = sized(traceIdOf(100 * n + m), count, sum, letter);
            await subject.append(spans);
            await expectWhole(subject, spans);
          }
        }
      },
      180_000,
    );

    it("come back whole after any number of commits", async () => {
      subject.fresh();
      const spans = star(mostCommits);
      for (const [n, span] of spans.entries()) {
        await subject.append([span]);
        if (COMMITS.includes(n + 1)) await expectWhole(subject, spans.slice(0, n + 1));
      }
      // All but the last are sent again, changed, in one commit.
      const again = spans.slice(0, -1).map((span, n) => ({ ...span, ...renamed(span, n) }));
      await subject.append(again);
      await expectWhole(subject, [...again, ...spans.slice(-1)]);
    }, 120_000);

    it.each(SPANS[sizes])("come back whole with %i spans in one commit", async (count) => {
      subject.fresh();
      const spans = star(count);
      await subject.append(spans);
      await expectWhole(subject, spans);
    });
  });
}

/** A top with children whose records have so many bytes together. */
function sized(traceId: string, count: number, bytes: number, letter: string): StoredSpan[] {
  const span = (n: number, inputs: string) =>
    storedSpan({
      traceId,
      id: spanIdOf(n + 1),
      parentId: n === 0 ? null : spanIdOf(1),
      start: n,
      inputs,
      figures: { role: "own", usage: usageOf(1, 1), cost: null },
    });
  const bare = Array.from({ length: count }, (_, n) => span(n, ""));
  const spare = bytes - bytesOf(bare);
  const letters = Math.floor(spare / Buffer.byteLength(letter));
  const share = Math.floor(letters / count);
  const rest = letters - share * (count - 1);
  const filler = "x".repeat(spare - letters * Buffer.byteLength(letter));
  const spans = bare.map((_, n) =>
    span(n, n === 0 ? letter.repeat(rest) + filler : letter.repeat(share)),
  );
  expect(bytesOf(spans)).toBe(bytes);
  return spans;
}

function bytesOf(spans: readonly StoredSpan[]): number {
  return spans.reduce((bytes, { openRecord }) => bytes + Buffer.byteLength(openRecord), 0);
}

function star(count: number): StoredSpan[] {
  return Array.from({ length: count }, (_, n) =>
    storedSpan({
      id: spanIdOf(n + 1),
      parentId: n === 0 ? null : spanIdOf(1),
      start: n,
      name: `span ${n}`,
      figures: n === 0 ? null : { role: "own", usage: usageOf(1, 2), cost: null },
    }),
  );
}

function renamed({ id, parentId, start, figures }: StoredSpan, n: number): StoredSpan {
  const from = storedSpan().start;
  return storedSpan({ id, parentId, start: start - from, figures, name: `again ${n}` });
}

/** By trace, by span, in both lists and as an export. */
async function expectWhole(subject: Subject, spans: readonly StoredSpan[]): Promise<void> {
  const [{ traceId }] = spans as [StoredSpan];
  const wanted = expectedTree(spans);
  expect(await subject.read({ kind: "trace", traceId })).toEqual(wanted);
  const listed = await subject.list("listTraces", { startedFrom: 0 }, 1_000);
  expect(listed.items.find((item) => item.trace_id === traceId)).toEqual(withoutChildren(wanted));
  const { tops } = await subject.store.readTops(subject.project, [traceId]);
  expect(tops.map((top) => JSON.parse(top))).toEqual([withoutChildren(wanted)]);
  const children = wanted.children ?? [];
  const [child] = children.slice(-1) as [SpanRecord | undefined];
  if (child !== undefined) {
    const found = await subject.read({ kind: "span", spanId: child.id });
    // Other traces hold spans of these ids as well; the last one that was written is found.
    expect(found).toEqual(child);
  }
  const page = await subject.list("listSpans", {}, 50);
  const byId = new Map([wanted, ...children].map((span) => [span.id, withoutChildren(span)]));
  for (const item of page.items.filter((item) => item.trace_id === traceId)) {
    expect(item).toEqual(byId.get(item.id));
  }
}
