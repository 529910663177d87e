import type { SpanRecord } from "@agate/protocol";
import type { StoredSpan } from "@agate/spans";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { expectedTree, withoutChildren } from "./expected-tree.fixture.ts";
import { family } from "./family.fixture.ts";
import type { TraceSizes } from "./sizes.contract.ts";
import { spanIdOf, storedSpan, traceIdOf, usageOf } from "./stored-span.fixture.ts";
import type { Subject } from "./subject.fixture.ts";

/** Both are summarised after their commits (from 2,000 spans on). */
/** The last two spans must report different usage: a parent that reports its child's restates it. */
const LONGEST_CHAIN = { all: 20_000, some: 4_000 };

/** Traces and spans read back as trees. */
export function describeTrees(subject: Subject, sizes: TraceSizes): void {
  const longest = LONGEST_CHAIN[sizes];

  describe("reading trees", () => {
    it("answers missing for what is not there", async () => {
      subject.fresh();
      expect(
        await subject.store.readTree(subject.project, { kind: "trace", traceId: traceIdOf(1) }),
      ).toEqual({
        kind: "missing",
      });
      expect(
        await subject.store.readTree(subject.project, { kind: "span", spanId: spanIdOf(1) }),
      ).toEqual({
        kind: "missing",
      });
    });

    it("gives a trace back as a tree with totals", async () => {
      subject.fresh();
      const spans = family();
      await subject.append(spans);
      expect(await subject.readTrace()).toEqual(expectedTree(spans));
    });

    it("gives a span back with its own subtree", async () => {
      subject.fresh();
      const spans = family();
      await subject.append(spans);
      const child = expectedTree(spans).children?.[0];
      expect(await subject.read({ kind: "span", spanId: spanIdOf(2) })).toEqual(child);
    });

    it("puts together what arrived in parts, children before their parent", async () => {
      subject.fresh();
      const spans = family();
      for (const span of spans.toReversed()) await subject.append([span]);
      expect(await subject.readTrace()).toEqual(expectedTree(spans));
      expect(await subject.read({ kind: "span", spanId: spanIdOf(2) })).toEqual(
        expectedTree(spans).children?.[0],
      );
    });

    it("keeps the last write of a span that was sent again", async () => {
      subject.fresh();
      const spans = family();
      await subject.append(spans);
      const changed = storedSpan({ id: spanIdOf(2), parentId: spanIdOf(1), name: "changed" });
      await subject.append([changed]);
      expect(await subject.readTrace()).toEqual(
        expectedTree(spans.map((span) => (span.id === changed.id ? changed : span))),
      );
      expect(await subject.namesOf("listSpans", { name: "changed" })).toEqual(["changed"]);
      expect((await subject.list("listSpans")).items).toHaveLength(spans.length);
    });

    it("holds a span id that two traces share, and finds the later one", async () => {
      subject.fresh();
      await subject.append([storedSpan({ traceId: traceIdOf(1), name: "first" })]);
      await subject.append([storedSpan({ traceId: traceIdOf(2), name: "second" })]);
      expect((await subject.readTrace(1))?.name).toBe("first");
      expect((await subject.readTrace(2))?.name).toBe("second");
      expect((await subject.read({ kind: "span", spanId: spanIdOf(1) }))?.name).toBe("second");
    });

    it("finds the later of two traces that share a span id and arrive together", async () => {
      subject.fresh();
      await subject.append([
        storedSpan({ traceId: traceIdOf(2), name: "earlier" }),
        storedSpan({ traceId: traceIdOf(1), name: "later" }),
      ]);
      expect((await subject.read({ kind: "span", spanId: spanIdOf(1) }))?.name).toBe("later");
    });

    it("gives the same tree however the spans were split into batches", async () => {
      let run = 0;
      await fc.assert(
        fc.asyncProperty(arrivals(), async (batches) => {
          subject.fresh();
          const traceId = traceIdOf(10_000 + run++);
          const arrived = batches.map((batch) =>
            batch.map((sketch) => storedSpan({ ...sketch, traceId })),
          );
          for (const batch of arrived) await subject.append(batch);
          const last = new Map(arrived.flat().map((span) => [span.id, span]));
          const wanted = expectedTree([...last.values()]);
          expect(await subject.read({ kind: "trace", traceId })).toEqual(wanted);
          const { items } = await subject.list("listTraces");
          expect(items).toEqual([withoutChildren(wanted)]);
          const spans = (await subject.list("listSpans")).items;
          expect(spans.map((span) => span.id).sort()).toEqual([...last.keys()].sort());
          for (const span of spans) {
            const subtree = await subject.read({ kind: "span", spanId: span.id });
            expect(span).toEqual(withoutChildren(subtree as SpanRecord));
          }
        }),
        { numRuns: subject.arrivals },
      );
    });

    it(`keeps a chain of ${longest} whole, in many batches`, async () => {
      subject.fresh();
      const chain = Array.from({ length: longest }, (_, i) =>
        storedSpan({
          traceId: traceIdOf(7),
          id: spanIdOf(i),
          parentId: i === 0 ? null : spanIdOf(i - 1),
          start: i,
          figures: { role: "own", usage: usageOf(1, i % 3 === 0 ? 2 : 0), cost: null },
        }),
      );
      for (let at = longest; at > 0; at -= 1_000) await subject.append(chain.slice(at - 1_000, at));
      const top = await subject.readTrace(7);
      const ids: string[] = [];
      for (let span: SpanRecord | undefined = top; span !== undefined; span = span.children?.[0]) {
        ids.push(span.id);
      }
      expect(ids).toEqual(chain.map(({ id }) => id));
      expect(top?.metadata.total.usage?.input_tokens).toBe(longest);
      await expect
        .poll(
          async () =>
            (await subject.list("listTraces")).items[0]?.metadata.total.usage?.input_tokens,
          { timeout: 60_000 },
        )
        .toBe(longest);
    }, 120_000);

    it("gives records of any length back, in trees and in lists", async () => {
      subject.fresh();
      const top = storedSpan({ inputs: "ü".repeat(20_000) });
      const children = [10, 15_000, 100_000].map((length, n) =>
        storedSpan({
          id: spanIdOf(n + 2),
          parentId: spanIdOf(1),
          start: n,
          inputs: "ü".repeat(length),
        }),
      );
      await subject.append([top, ...children]);
      const wanted = expectedTree([top, ...children]);
      expect(await subject.readTrace()).toEqual(wanted);
      expect((await subject.list("listTraces")).items).toEqual([withoutChildren(wanted)]);
      const again = storedSpan({ inputs: "short" });
      await subject.append([again]);
      const anew = expectedTree([again, ...children]);
      expect(await subject.readTrace()).toEqual(anew);
      expect((await subject.list("listTraces")).items).toEqual([withoutChildren(anew)]);
    });

    it("takes any text", async () => {
      subject.fresh();
      const name = `"'\\ \u0000 \u2028 𝒳 ä %_ <script> \u{1F600}`;
      const inputs = { __proto__: null, constructor: [name], 'a"b': { "": -0.5 } };
      await subject.append([
        storedSpan({ name, inputs, userId: name, sessionId: "'; DROP TABLE spans" }),
      ]);
      expect((await subject.readTrace())?.name).toBe(name);
      expect((await subject.readTrace())?.content.inputs).toEqual(inputs);
      expect(await subject.namesOf("listSpans", { userId: name, name })).toEqual([name]);
      expect(await subject.namesOf("listTraces", { sessionId: "'; DROP TABLE spans" })).toEqual([
        name,
      ]);
    });

    it("keeps projects apart", async () => {
      subject.fresh();
      await subject.append([storedSpan({ name: "mine", inputs: "shared word" })]);
      await subject.store.searchCaughtUp();
      subject.fresh();
      expect(await subject.readTrace()).toBeUndefined();
      expect(await subject.read({ kind: "span", spanId: spanIdOf(1) })).toBeUndefined();
      expect(await subject.namesOf("listTraces", {})).toEqual([]);
      expect(await subject.namesOf("listSpans", { text: "shared" })).toEqual([]);
      expect(await subject.store.readTops(subject.project, [traceIdOf(1)])).toEqual({
        tops: [],
        unread: 0,
      });
      expect(await subject.store.deleteTrace(subject.project, traceIdOf(1))).toEqual({
        kind: "missing",
      });
      await subject.append([storedSpan({ name: "theirs" })]);
      expect((await subject.readTrace())?.name).toBe("theirs");
    });
  });
}

/** Batches of a single trace with any parents, duplicates included. */
function arrivals(): fc.Arbitrary<Partial<StoredSpan>[][]> {
  const calls = ["x", "ÿ\u0000"].flatMap((key) => [
    { key, isCostSent: true },
    { key, isCostSent: false },
  ]);
  const sketch = fc.record({
    id: fc.integer({ min: 0, max: 12 }).map(spanIdOf),
    parentId: fc.option(fc.integer({ min: 0, max: 14 }).map(spanIdOf)),
    start: fc.integer({ min: 0, max: 9 }),
    startNanos: fc.integer({ min: 0, max: 1 }),
    name: fc.constantFrom("a", "b", "ü"),
    figures: fc.option(
      fc.record({
        role: fc.constantFrom("own", "restated"),
        usage: fc.constantFrom(usageOf(1, 2), usageOf(3, 4), null),
        cost: fc.constantFrom(null, 0.25),
        call: fc.constantFrom(undefined, ...calls),
      }),
    ),
  });
  return fc.array(fc.array(sketch, { minLength: 1, maxLength: 6 }), {
    minLength: 1,
    maxLength: 4,
  }) as fc.Arbitrary<Partial<StoredSpan>[][]>;
}
