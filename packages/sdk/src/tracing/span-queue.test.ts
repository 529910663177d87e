import fc from "fast-check";
import { expect, test } from "vitest";
import type { EndedSpan } from "./ended-span.ts";
import { type Batch, type QueuedSpan, SpanQueue } from "./span-queue.ts";

const limits = { maxSpans: 12, maxBytes: 1_000_000, batchSpans: 4, batchBytes: 1_000_000 };
const ended = (name: string) => ({ span: { name, attributes: {} }, added: {} }) as EndedSpan;

/** Where each span is, as a set says it. */
class NaiveQueue {
  waiting: QueuedSpan[] = [];
  readonly taken = new Set<QueuedSpan>();

  get all(): readonly QueuedSpan[] {
    return [...this.waiting, ...this.taken];
  }
}

const step = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ do: "add" } as const) },
  { weight: 2, arbitrary: fc.constant({ do: "take" } as const) },
  // Batches may be settled late, twice, in any order and in part.
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom("release" as const, "putBack" as const),
      which: fc.nat(20),
      from: fc.nat(2),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ do: "clear" } as const) },
);

test("a span is held until it is settled, also when its batch was put back or released in part", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const queue = new SpanQueue(limits);
      const naive = new NaiveQueue();
      const batches: Batch[] = [];
      for (const each of steps) {
        if (each.do === "add") {
          const hasRoom = naive.all.length < limits.maxSpans;
          expect(queue.add(ended(String(queue.lastOrder)))).toBe(hasRoom);
          // What was added is only seen when it is taken: a stand-in has its order.
          if (hasRoom) naive.waiting.push({ order: queue.lastOrder } as QueuedSpan);
        } else if (each.do === "take") {
          const batch = queue.take();
          const expected = naive.waiting.splice(0, limits.batchSpans);
          expect(batch.map(({ order }) => order)).toEqual(expected.map(({ order }) => order));
          for (const span of batch) naive.taken.add(span);
          batches.push(batch);
        } else if (each.do === "clear") {
          expect(queue.clear()).toBe(naive.all.length);
          naive.waiting = [];
          naive.taken.clear();
        } else if (batches.length > 0) {
          const batch = batches[each.which % batches.length]!.slice(each.from);
          const held = batch.filter((span) => naive.taken.delete(span));
          if (each.do === "putBack") {
            naive.waiting = [...held, ...naive.waiting].sort((a, b) => a.order - b.order);
          }
          expect(queue[each.do](batch)).toBe(held.length);
        }
        const orders = naive.all.map(({ order }) => order);
        expect(queue.size).toBe(orders.length);
        expect(queue.hasWaiting).toBe(naive.waiting.length > 0);
        for (let order = 0; order <= queue.lastOrder; order++) {
          expect(queue.holdsUpTo(order)).toBe(orders.some((held) => held <= order));
        }
      }
    }),
    { numRuns: 300 },
  );
});
