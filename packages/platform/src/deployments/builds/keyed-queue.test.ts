import { setImmediate as nextTurn } from "node:timers/promises";
import fc from "fast-check";
import { expect, it } from "vitest";
import { KeyedQueue } from "./keyed-queue.ts";

it("runs work of one key in order and one at a time, whatever fails", async () => {
  const pieces = fc.array(
    fc.record({
      key: fc.constantFrom("a", "b", "c", "d"),
      turns: fc.integer({ min: 0, max: 4 }),
      fails: fc.boolean(),
    }),
  );
  await fc.assert(
    fc.asyncProperty(pieces, async (work) => {
      const queue = new KeyedQueue();
      const running = new Set<number>();
      const begun: { key: string; n: number }[] = [];
      const results = work.map(({ key, turns, fails }, n) =>
        queue.run(key, async () => {
          for (const other of running) expect(work[other]?.key).not.toBe(key);
          running.add(n);
          begun.push({ key, n });
          for (let turn = 0; turn < turns; turn++) await nextTurn();
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
