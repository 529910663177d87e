import { setImmediate as nextTurn } from "node:timers/promises";
import fc from "fast-check";
import { expect, it } from "vitest";
import { Slots } from "./slots.ts";

it("lets no more happen at a time than it may, in order, whatever fails", async () => {
  const pieces = fc.array(
    fc.record({ turns: fc.integer({ min: 0, max: 4 }), fails: fc.boolean() }),
  );
  await fc.assert(
    fc.asyncProperty(pieces, fc.integer({ min: 1, max: 3 }), async (work, most) => {
      const slots = new Slots(most);
      const begun: number[] = [];
      let running = 0;
      let mostSeen = 0;
      const results = work.map(({ turns, fails }, n) =>
        slots.run(async () => {
          begun.push(n);
          mostSeen = Math.max(mostSeen, ++running);
          for (let turn = 0; turn < turns; turn++) await nextTurn();
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
