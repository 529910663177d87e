import fc from "fast-check";
import { expect, it } from "vitest";
import { HeldBytes } from "./held-bytes.ts";
import { HoldBudget } from "./hold-budget.ts";

const LIMITS = { allBytes: 100, waitMs: 10_000_000, mostWaiting: 5 };

const step = fc.oneof(
  fc.record({ kind: fc.constant("enter" as const), bytes: fc.integer({ min: 1, max: 100 }) }),
  fc.record({ kind: fc.constant("leave" as const), which: fc.nat(20) }),
);

it("never gives more than it has, and serves in order", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const budget = new HoldBudget(LIMITS);
      const held: { bytes: number; leave: () => void }[] = [];
      const waiting: { bytes: number; leave: () => void }[] = [];
      for (const next of steps) {
        if (next.kind === "enter") {
          const { bytes } = next;
          const isRoomy =
            waiting.length === 0 && held.reduce((sum, each) => sum + each.bytes, bytes) <= 100;
          expect(budget.take(bytes)).toBe(isRoomy);
          const own = { bytes, leave: () => budget.give(bytes) };
          if (isRoomy) {
            held.push(own);
            continue;
          }
          const turn = { bytes, leave: () => {} };
          const leave = budget.wait(bytes, (isGranted) => {
            expect(isGranted).toBe(true);
            // First come, first served.
            expect(waiting.shift()).toBe(turn);
            held.push(own);
          });
          expect(leave === undefined).toBe(waiting.length >= LIMITS.mostWaiting);
          if (leave !== undefined) waiting.push(Object.assign(turn, { leave }));
        } else {
          const all = [...held, ...waiting];
          const one = all[next.which % Math.max(1, all.length)];
          if (one === undefined) continue;
          for (const list of [held, waiting]) {
            if (list.includes(one)) list.splice(list.indexOf(one), 1);
          }
          one.leave();
        }
        const used = held.reduce((sum, { bytes }) => sum + bytes, 0);
        expect(used).toBeLessThanOrEqual(100);
        expect(used + (waiting[0]?.bytes ?? 100)).toBeGreaterThanOrEqual(
          waiting.length > 0 ? 101 : 0,
        );
      }
      // From the last on, so that none of them gets its turn.
      for (const { leave } of waiting.splice(0).reverse()) leave();
    }),
  );
});

it("gives what is held back as it came, in blocks", () => {
  const chunk = fc.oneof(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 60_000, max: 140_000 }));
  fc.assert(
    fc.property(fc.array(fc.array(chunk, { maxLength: 6 }), { maxLength: 4 }), (rounds) => {
      const held = new HeldBytes();
      let next = 0;
      for (const lengths of rounds) {
        const chunks = lengths.map((length) => Buffer.alloc(length, next++));
        for (const each of chunks) held.append(each);
        const whole = Buffer.concat(chunks);
        expect(held.bytes).toBe(whole.length);
        const blocks: Buffer[] = [];
        for (let block = held.shift(); block !== undefined; block = held.shift())
          blocks.push(block);
        expect(Buffer.concat(blocks).equals(whole)).toBe(true);
        expect(blocks.length).toBe(Math.ceil(whole.length / 65_536));
        expect(held.bytes).toBe(0);
      }
    }),
    { numRuns: 30 },
  );
});
