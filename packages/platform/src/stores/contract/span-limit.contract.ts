import type { StoredSpan } from "@agate/spans";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AppendOutcome, SpanBatch } from "../span-store.ts";
import { expectedTree, withoutChildren } from "./expected-tree.fixture.ts";
import { spanIdOf, storedSpan, traceIdOf } from "./stored-span.fixture.ts";
import type { Subject } from "./subject.fixture.ts";

const SMALL_LIMIT = 5;

/** Traces that take no more spans than they may hold. */
export function describeSpanLimit(subject: Subject): void {
  describe(`traces of at most ${SMALL_LIMIT} spans`, () => {
    const reopen = async (maxSpansPerTrace?: number) => {
      await subject.store.close();
      await subject.open({ maxSpansPerTrace });
    };
    beforeAll(() => reopen(SMALL_LIMIT));
    afterAll(() => reopen());

    it.each([SMALL_LIMIT - 1, SMALL_LIMIT, SMALL_LIMIT + 1, 3 * SMALL_LIMIT])(
      "take %i new spans at once as far as there is room",
      async (count) => {
        const trace = new Model(subject);
        await trace.append(numbers(1, count));
        await trace.expectStored();
      },
    );

    it.each([
      { before: 1, more: SMALL_LIMIT - 1 },
      { before: 1, more: SMALL_LIMIT },
      { before: SMALL_LIMIT - 1, more: 1 },
      { before: SMALL_LIMIT - 1, more: 7 },
      { before: SMALL_LIMIT, more: 1 },
      { before: SMALL_LIMIT + 1, more: 2 },
    ])("take $more new spans after $before", async ({ before, more }) => {
      const trace = new Model(subject);
      await trace.append(numbers(1, before));
      await trace.append(numbers(before + 1, before + more));
      await trace.expectStored();
    });

    it("can be changed when they are full", async () => {
      const trace = new Model(subject);
      await trace.append(numbers(1, SMALL_LIMIT));
      // The same, changed, and new ones in between, one of them twice.
      await trace.append([9, 1, 8, 9, SMALL_LIMIT, 2], "changed");
      await trace.append(numbers(1, SMALL_LIMIT), "changed");
      await trace.expectStored();
    });

    it("are independent of each other, and of those in other projects", async () => {
      const trace = new Model(subject);
      await trace.append(numbers(1, SMALL_LIMIT), "first", [1, 2]);
      await trace.append(numbers(4, 7), "second", [2, 3, 1]);
      await trace.expectStored([1, 2, 3]);
      const elsewhere = new Model(subject);
      await elsewhere.append(numbers(4, 7));
      await elsewhere.expectStored();
    });

    it("have room again after they were deleted", async () => {
      const trace = new Model(subject);
      await trace.append(numbers(1, SMALL_LIMIT + 1));
      await trace.delete();
      await trace.append(numbers(2, SMALL_LIMIT + 2));
      await trace.expectStored();
    });

    it("are exact when several batches arrive at once", async () => {
      const trace = new Model(subject);
      await Promise.all([
        trace.append([1, 2]),
        trace.append([3, 1, 4], "changed"),
        trace.append([5, 6, 2], "again"),
        trace.append([7, 6, 5]),
      ]);
      await trace.expectStored();
    });

    it("hold what a naive model holds after random batches", async () => {
      const spans = fc.array(fc.integer({ min: 1, max: 2 * SMALL_LIMIT }), {
        minLength: 1,
        maxLength: 2 * SMALL_LIMIT,
      });
      const batch = fc.record({
        spans,
        name: fc.constantFrom("one", "two"),
        traces: fc.constantFrom([1], [2], [2, 1]),
      });
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.oneof({ weight: 6, arbitrary: batch }, fc.constant("delete" as const)), {
            minLength: 1,
            maxLength: 6,
          }),
          async (steps) => {
            const trace = new Model(subject);
            for (const step of steps) {
              if (step === "delete") await trace.delete();
              else await trace.append(step.spans, step.name, step.traces);
            }
            await trace.expectStored([1, 2]);
          },
        ),
        { numRuns: subject.arrivals },
      );
    }, 120_000);
  });
}

const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, n) => from + n);

/** What a limited store must hold, told in the simplest way. */
class Model {
  readonly #subject: Subject;
  readonly #traces = new Map<string, Map<string, StoredSpan>>();

  constructor(subject: Subject) {
    this.#subject = subject;
    subject.fresh();
  }

  /** Appends the same spans to each trace, and expects the outcome that the model has. */
  async append(
    spanNumbers: readonly number[],
    name = "span",
    traces: readonly number[] = [1],
  ): Promise<void> {
    const spans = traces.flatMap((trace) => spanNumbers.map((n) => spanOf(trace, n, name)));
    const rejected = new Map<string, { traceId: string; spanId: string }>();
    for (const span of spans) {
      const { traceId, id: spanId } = span;
      const stored = this.#traces.get(traceId) ?? new Map();
      this.#traces.set(traceId, stored);
      if (stored.has(spanId) || stored.size < SMALL_LIMIT) stored.set(spanId, span);
      else rejected.set(`${traceId} ${spanId}`, { traceId, spanId });
    }
    const batch: SpanBatch = { project: this.#subject.project, receivedAt: 1_000_000, spans };
    const outcome = await this.#subject.store.append(batch);
    expect(inOrder(outcome)).toEqual(
      rejected.size === 0
        ? { kind: "committed" }
        : inOrder({
            kind: "partly-committed",
            rejected: [...rejected.values()],
            maxSpansPerTrace: SMALL_LIMIT,
          }),
    );
  }

  async delete(trace = 1): Promise<void> {
    const traceId = traceIdOf(trace);
    const isThere = this.#traces.delete(traceId);
    expect(await this.#subject.store.deleteTrace(this.#subject.project, traceId)).toEqual({
      kind: isThere ? "deleted" : "missing",
    });
  }

  /** The tree, the summary, the list of spans and the count of each trace. */
  async expectStored(traces = [1]): Promise<void> {
    const { store, project } = this.#subject;
    const tops = (await this.#subject.list("listTraces")).items;
    const listed = (await this.#subject.list("listSpans", {}, 1_000)).items;
    for (const trace of traces) {
      const traceId = traceIdOf(trace);
      const spans = [...(this.#traces.get(traceId)?.values() ?? [])];
      const isOwn = (item: { trace_id: string }) => item.trace_id === traceId;
      const wanted = spans.length === 0 ? undefined : expectedTree(spans);
      expect(await this.#subject.readTrace(trace)).toEqual(wanted);
      expect(tops.filter(isOwn)).toEqual(wanted === undefined ? [] : [withoutChildren(wanted)]);
      expect(
        listed
          .filter(isOwn)
          .map(({ id }) => id)
          .sort(),
      ).toEqual(spans.map(({ id }) => id).sort());
      const sizes = await store.sizesOf(project, [traceId]);
      expect(sizes.get(traceId) ?? 0).toBe(spans.length);
    }
  }
}

/** Higher numbers are above lower ones: a cut takes the top away that a batch came with. */
function spanOf(trace: number, n: number, name: string): StoredSpan {
  return storedSpan({
    traceId: traceIdOf(trace),
    id: spanIdOf(100 * trace + n),
    parentId: n === 2 * SMALL_LIMIT ? null : spanIdOf(100 * trace + n + 1),
    start: 1_000 - n,
    name: `${name} ${n}`,
  });
}

/** Outcomes name the spans of each trace together, or as they arrived. */
function inOrder(outcome: AppendOutcome): AppendOutcome {
  if (outcome.kind !== "partly-committed") return outcome;
  const rejected = outcome.rejected
    .map(({ traceId, spanId }) => ({ traceId, spanId }))
    .sort((a, b) => (`${a.traceId}${a.spanId}` < `${b.traceId}${b.spanId}` ? -1 : 1));
  return { ...outcome, rejected };
}
