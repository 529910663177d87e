import fc from "fast-check";
import { expect, it } from "vitest";
import { BodyWindow } from "./body-window.ts";

it("gives every body whole at any size of the window, in any order", () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 6 });
  const batches = fc.array(fc.array(fc.nat(5), { minLength: 1, maxLength: 8 }), { maxLength: 12 });
  fc.assert(
    fc.property(sizes, batches, fc.integer({ min: 0, max: 16 }), (lengths, reads, windowBytes) => {
      const bodyOf = (segment: number) => new Uint8Array(lengths[segment] ?? 1).fill(segment + 1);
      const window = new BodyWindow(bodyOf, windowBytes);
      for (const read of reads) {
        window.freeEvicted();
        // Bodies of one read stay valid until the next, though the window is too small for them.
        const bodies = read.map((segment) => window.get(segment));
        for (const [n, segment] of read.entries()) expect(bodies[n]).toEqual(bodyOf(segment));
      }
    }),
    { numRuns: 500 },
  );
});

it("reads a body once while the window has room for all, and again when it has not", () => {
  const countReads = (windowBytes: number) => {
    let reads = 0;
    const window = new BodyWindow(() => {
      reads++;
      return new Uint8Array(10);
    }, windowBytes);
    for (const segment of [0, 1, 0, 1, 0, 1]) window.get(segment);
    return reads;
  };
  expect([20, 19].map(countReads)).toEqual([2, 6]);
});
