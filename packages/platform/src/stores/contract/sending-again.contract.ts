import type { SpanRecord } from "@agate/protocol";
import type { StoredSpan } from "@agate/spans";
import { describe, expect, it } from "vitest";
import { expectedListed, expectedTree, withoutChildren } from "./expected-tree.fixture.ts";
import type { TraceSizes } from "./sizes.contract.ts";
import { spanIdOf, storedSpan, usageOf } from "./stored-span.fixture.ts";
import type { Subject } from "./subject.fixture.ts";

/** Around 2,000, from which on summaries are not made with every commit. */
const SIZES = {
  all: [1, 1_999, 2_000, 2_001, 2_600],
  some: [1, 2_000, 2_001],
};

/** Spans that are sent again. */
export function describeSendingAgain(subject: Subject, sizes: TraceSizes): void {
  describe("spans that are sent again", () => {
    it.each(sizes === "all" ? [1, 3, 150, 400] : [1, 150])(
      "change nothing where they are the same (%i spans)",
      async (count) => {
        subject.fresh();
        const spans = star(count).map((span, n) => (n % 7 === 3 ? long(n) : span));
        await subject.append(spans);
        for (let n = 0; n < 3; n++) await subject.append(spans);
        await expectAll(subject, spans);
        // Some the same, one changed, one new, in one batch; then only some of them.
        const changed = spans.map((span, n) => (n === count - 1 ? renamed(n) : span));
        const added = [...changed, child(count)];
        await subject.append(added);
        await expectAll(subject, added);
        await subject.append(added.slice(0, 2).toReversed());
        await expectAll(subject, added);
        // And back to what it was.
        await subject.append(spans);
        await expectAll(subject, [...spans, child(count)]);
      },
    );

    it.each(SIZES[sizes])(
      "change the summary of a trace of %i spans",
      async (count) => {
        subject.fresh();
        const spans = star(count);
        await subject.append(spans);
        // Only the top, and nothing new.
        const top = storedSpan({ name: "renamed", status: "ERROR", sessionId: "s", latency: 5 });
        await subject.append([top]);
        await expectSummary(subject, [top, ...spans.slice(1)]);
        expect(await subject.namesOf("listTraces", { name: "renamed" })).toEqual(["renamed"]);
        expect(await subject.namesOf("listTraces", { status: "ERROR" })).toEqual(["renamed"]);
        expect(await subject.namesOf("listTraces", { sessionId: "s" })).toEqual(["renamed"]);
        expect(await subject.namesOf("listTraces", { name: "top" })).toEqual([]);
        const from = storedSpan().start;
        const range = { from, to: from + 10_000, interval: 10_000, groups: null };
        const { total } = await subject.store.analytics({
          project: subject.project,
          filter: {},
          ...range,
        });
        expect(total).toMatchObject({ count: 1, errors: 1, inputTokens: count - 1 });
        if (count === 1) return;
        // One of the others, with other figures.
        const call = storedSpan({ ...sketch(1), figures: figures(100) });
        await subject.append([call]);
        await expectSummary(subject, [top, call, ...spans.slice(2)]);
      },
      120_000,
    );
  });
}

/** The tree, both lists, and one span by its id. */
async function expectAll(subject: Subject, spans: readonly StoredSpan[]): Promise<void> {
  const wanted = expectedTree(spans);
  expect(await subject.readTrace()).toEqual(wanted);
  expect((await subject.list("listTraces")).items).toEqual([withoutChildren(wanted)]);
  const listed = (await subject.list("listSpans", {}, 1_000)).items;
  const byId = new Map([wanted, ...(wanted.children ?? [])].map((span) => [span.id, span]));
  expect(listed.map(({ id }) => id).sort()).toEqual([...byId.keys()].sort());
  for (const item of listed) expect(item).toEqual(withoutChildren(byId.get(item.id) as SpanRecord));
  const last = spans.at(-1)?.id ?? "";
  expect(await subject.read({ kind: "span", spanId: last })).toEqual(byId.get(last));
}

async function expectSummary(subject: Subject, spans: readonly StoredSpan[]): Promise<void> {
  const wanted = expectedListed(spans);
  // A large trace is summarised after its commit; nothing else may be needed for it.
  await expect
    .poll(async () => (await subject.list("listTraces")).items, { timeout: 60_000, interval: 250 })
    .toEqual([wanted]);
}

const figures = (input: number) => ({ role: "own", usage: usageOf(input, 1), cost: null }) as const;

const sketch = (n: number) => ({
  id: spanIdOf(n + 1),
  parentId: spanIdOf(1),
  start: n,
  figures: figures(1),
});

const child = (n: number) => storedSpan(sketch(n));
const long = (n: number) => storedSpan({ ...sketch(n), inputs: "ü".repeat(1_000) });
/** The top, too, stays one. */
const renamed = (n: number) =>
  storedSpan({ ...(n === 0 ? {} : sketch(n)), name: "renamed", inputs: "other" });

function star(count: number): StoredSpan[] {
  return Array.from({ length: count }, (_, n) =>
    n === 0 ? storedSpan({ name: "top" }) : child(n),
  );
}
