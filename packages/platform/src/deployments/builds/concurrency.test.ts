import { setImmediate as nextTurn } from "node:timers/promises";
import fc from "fast-check";
import { expect, it } from "vitest";
import { KeyedQueue, Semaphore } from "./concurrency.ts";

it("runs work of one key in order and one at a time, also after failures", async () => {
  const pieces = fc.array(
    fc.record({
      key: fc.constantFrom("a", "b", "c", "d"),
      ticks: fc.integer({ min: 0, max: 4 }),
      fails: fc.boolean(),
    }),
  );
  await fc.assert(
    fc.asyncProperty(pieces, async (work) => {
      const queue = new KeyedQueue();
      const running = new Set<number>();
      const begun: { key: string; n: number }[] = [];
      const results = work.map(({ key, ticks, fails }, n) =>
        queue.run(key, async () => {
          for (const other of running) expect(work[other]?.key).not.toBe(key);
          running.add(n);
          begun.push({ key, n });
          for (let tick = 0; tick < ticks; tick++) await nextTurn();
          running.delete(n);
          if (fails) throw new Error(String(n));
          return n;
        }),
      );
      const settled = await Promise.allSettled(results);
      expect(settled).toEqual(
        work.map(({ fails }, n) =>
          fails
            ? { status: "rejected", reason: new Error(String(n)) }
            : { status: "fulfilled", value: n },
        ),
      );
      for (const key of new Set(work.map((piece) => piece.key))) {
        const order = begun.filter((each) => each.key === key).map(({ n }) => n);
        expect(order).toEqual(order.toSorted((a, b) => a - b));
      }
      await queue.idle();
    }),
  );
});

it("is idle when the last piece is done, even one that was added meanwhile", async () => {
  const queue = new KeyedQueue();
  const done: string[] = [];
  void queue.run("a", async () => {
    await nextTurn();
    done.push("first");
    void queue.run("b", async () => {
      await nextTurn();
      done.push("second");
    });
  });
  await queue.idle();
  expect(done).toEqual(["first", "second"]);
});

it("runs at most the allowed number at a time, in order, also after failures", async () => {
  const pieces = fc.array(
    fc.record({ ticks: fc.integer({ min: 0, max: 4 }), fails: fc.boolean() }),
  );
  await fc.assert(
    fc.asyncProperty(pieces, fc.integer({ min: 1, max: 3 }), async (work, most) => {
      const slots = new Semaphore(most);
      const begun: number[] = [];
      let running = 0;
      let mostSeen = 0;
      const results = work.map(({ ticks, fails }, n) =>
        slots.run(async () => {
          begun.push(n);
          mostSeen = Math.max(mostSeen, ++running);
          for (let tick = 0; tick < ticks; tick++) await nextTurn();
          running--;
          if (fails) throw new Error(String(n));
        }),
      );
      const settled = await Promise.allSettled(results);
      expect(settled.map(({ status }) => status === "rejected")).toEqual(
        work.map(({ fails }) => fails),
      );
      expect(begun).toEqual(work.map((_, n) => n));
      expect(mostSeen).toBeLessThanOrEqual(most);
    }),
  );
});
