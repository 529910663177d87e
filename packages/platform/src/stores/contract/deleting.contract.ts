import { describe, expect, it } from "vitest";
import { TRACES_PER_PAGE } from "../span-store.ts";
import { expectedTree } from "./expected-tree.fixture.ts";
import { family } from "./family.fixture.ts";
import { spanIdOf, storedSpan, traceIdOf } from "./stored-span.fixture.ts";
import type { Subject } from "./subject.fixture.ts";

/** Deletion and retention. */
export function describeDeleting(subject: Subject): void {
  /** Retention passes over a trace that is being indexed at that moment: its next round takes it. */
  const indexed = () => subject.store.searchCaughtUp();

  describe("deleting", () => {
    it("takes a trace out of every answer, and nothing else", async () => {
      subject.fresh();
      await subject.append(family());
      await subject.append([storedSpan({ traceId: traceIdOf(2), name: "other" })]);
      await subject.store.searchCaughtUp();
      expect(await subject.store.deleteTrace(subject.project, traceIdOf(1))).toEqual({
        kind: "deleted",
      });
      expect(await subject.store.deleteTrace(subject.project, traceIdOf(1))).toEqual({
        kind: "missing",
      });
      expect(await subject.readTrace()).toBeUndefined();
      expect(await subject.read({ kind: "span", spanId: spanIdOf(3) })).toBeUndefined();
      expect(await subject.namesOf("listTraces", {})).toEqual(["other"]);
      expect(await subject.namesOf("listSpans", {})).toEqual(["other"]);
      expect(await subject.namesOf("listSpans", { text: "family" })).toEqual([]);
      await subject.store.searchCaughtUp();
      expect(await subject.namesOf("listSpans", { text: "family" })).toEqual([]);
    });

    it("lets the same trace be written anew", async () => {
      subject.fresh();
      const spans = family();
      await subject.append(spans);
      await subject.store.deleteTrace(subject.project, traceIdOf(1));
      await subject.append(spans);
      expect(await subject.readTrace()).toEqual(expectedTree(spans));
      await subject.store.searchCaughtUp();
      expect(await subject.namesOf("listTraces", { text: "family" })).toEqual([spans[0]?.name]);
    });

    it("expires the traces that arrived first, a few at a time", async () => {
      subject.fresh();
      // Earlier than anything another test appends.
      for (const n of [1, 2, 3]) await subject.append([storedSpan({ traceId: traceIdOf(n) })], n);
      await subject.append([storedSpan({ traceId: traceIdOf(1), id: spanIdOf(2) })], 4);
      await indexed();
      expect(await subject.store.expire(4, 1)).toBe(1);
      expect((await subject.list("listTraces")).items.map((item) => item.trace_id).sort()).toEqual(
        [1, 3].map(traceIdOf),
      );
      expect(await subject.store.expire(4, 10)).toBe(1);
      expect(await subject.store.expire(4, 10)).toBe(0);
      expect(await subject.readTrace(1)).toBeDefined();
    });

    it("tells how many spans each trace has, page by page", async () => {
      subject.fresh();
      const ids = Array.from({ length: TRACES_PER_PAGE + 1 }, (_, n) => traceIdOf(n + 1));
      await subject.append(ids.map((traceId) => storedSpan({ traceId })));
      await subject.append([storedSpan({ id: spanIdOf(2) }), storedSpan({ id: spanIdOf(1) })]);
      const found = new Map<string, number>();
      for (let after: string | null = null; ; ) {
        const page = await subject.store.traceSizes(after);
        for (const { project, traceId, spans } of page.items) {
          if (project === subject.project) found.set(traceId, spans);
        }
        if (page.next === null) break;
        after = page.next;
      }
      expect(found).toEqual(new Map(ids.map((id) => [id, id === traceIdOf(1) ? 2 : 1])));
      const asked = [traceIdOf(1), traceIdOf(7), traceIdOf(5_000)];
      expect(new Map(await subject.store.sizesOf(subject.project, asked))).toEqual(
        new Map([
          [traceIdOf(1), 2],
          [traceIdOf(7), 1],
        ]),
      );
    });

    it("tells when the last span arrived", async () => {
      subject.fresh();
      // Later than anything another test appends.
      await subject.append([storedSpan()], 4e15);
      expect(await subject.store.newestArrival()).toBe(4e15);
      await subject.append([storedSpan({ traceId: traceIdOf(2) })], 3e15);
      expect(await subject.store.newestArrival()).toBe(4e15);
      await subject.store.deleteTrace(subject.project, traceIdOf(1));
    });

    it("expires a trace by its latest arrival, though an earlier one was told of after it", async () => {
      subject.fresh();
      await subject.append([storedSpan()], 9);
      await subject.append([storedSpan({ id: spanIdOf(2) })], 5);
      await indexed();
      await subject.store.expire(9, 10);
      expect(await subject.readTrace()).toBeDefined();
      await subject.store.expire(10, 10);
      expect(await subject.readTrace()).toBeUndefined();
    });
  });
}
