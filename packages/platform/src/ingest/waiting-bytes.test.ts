import fc from "fast-check";
import { expect, it } from "vitest";
import { WaitingBytes } from "./waiting-bytes.ts";

const OVERHEAD = 16 * 1024;

it("takes one request of any size, and others while all fit", () => {
  const waiting = new WaitingBytes(3 * OVERHEAD);
  const large = waiting.reserve();
  expect(large.resize(100 * OVERHEAD)).toBe(true);
  const next = waiting.reserve();
  expect(next.resize(0)).toBe(false);
  large.release();
  expect(next.resize(OVERHEAD)).toBe(true);
  expect(waiting.reserve().resize(1)).toBe(false);
  expect(waiting.reserve().resize(0)).toBe(true);
});

it("never counts more than the limit for several requests, and forgets what was released", () => {
  const LIMIT = 10 * OVERHEAD;
  const steps = fc.array(
    fc.record({ who: fc.nat({ max: 5 }), bytes: fc.option(fc.nat({ max: 12 * OVERHEAD })) }),
  );
  fc.assert(
    fc.property(steps, (all) => {
      const waiting = new WaitingBytes(LIMIT);
      const requests = Array.from({ length: 6 }, () => waiting.reserve());
      const held = new Map<number, number>();
      for (const { who, bytes } of all) {
        const others = [...held].reduce((sum, [at, own]) => (at === who ? sum : sum + own), 0);
        if (bytes === null) {
          requests[who]?.release();
          held.delete(who);
          continue;
        }
        const fits = others === 0 || others + bytes + OVERHEAD <= LIMIT;
        expect(requests[who]?.resize(bytes)).toBe(fits);
        if (fits) held.set(who, bytes + OVERHEAD);
      }
    }),
  );
});
