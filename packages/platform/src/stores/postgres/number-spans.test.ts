import fc from "fast-check";
import { expect, it } from "vitest";
import { numberSpans, SPANS_PER_BLOCK } from "./number-spans.ts";

it("gives each span a number of its own inside of one block", () => {
  const sizes = fc.array(fc.integer({ min: 1, max: SPANS_PER_BLOCK }), { maxLength: 20 });
  fc.assert(
    fc.property(sizes, (given) => {
      const { blocks, numbers } = numberSpans(given);
      const taken = new Set<string>();
      for (const [n, { block, offset }] of numbers.entries()) {
        const size = given[n] as number;
        expect(block).toBeLessThan(blocks);
        expect(offset + size).toBeLessThanOrEqual(SPANS_PER_BLOCK);
        for (let i = 0; i < size; i++) taken.add(`${block} ${offset + i}`);
      }
      expect(taken.size).toBe(given.reduce((sum, size) => sum + size, 0));
    }),
  );
});

it("refuses a segment that no block holds", () => {
  expect(() => numberSpans([SPANS_PER_BLOCK + 1])).toThrow(RangeError);
});
