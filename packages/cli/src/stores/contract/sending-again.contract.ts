import type { StoredSpan } from "@agate/spans";
import { describe, expect, it } from "vitest";
import { expectedTree, withoutChildren } from "./expected-tree.fixture.ts";
import { spanIdOf, storedSpan, usageOf } from "./stored-span.fixture.ts";
import type { Subject } from "./subject.fixture.ts";

/** Around 2,000, from which on summaries are not made with every commit. */
const SIZES = [1, 1_999, 2_000, 2_001, 2_600];

/** Spans that are sent again. */
export function describeSendingAgain(subject: Subject): void {
  describe("spans that are sent again", () => {
    it.each(SIZES)("change the summary of a trace of %i spans", async (count) => {
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
    });
  });
}

async function expectSummary(subject: Subject, spans: readonly StoredSpan[]): Promise<void> {
  const wanted = withoutChildren(expectedTree(spans));
  // A large trace is summarised after its commit; nothing else may be needed for it.
  await expect
    .poll(async () => (await subject.list("listTraces")).items, { timeout: 15_000 })
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

function star(count: number): StoredSpan[] {
  return Array.from({ length: count }, (_, n) =>
    n === 0 ? storedSpan({ name: "top" }) : child(n),
  );
}
