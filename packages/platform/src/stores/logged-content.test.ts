import fc from "fast-check";
import { expect, it } from "vitest";
import { groupedByContent } from "./logged-content.ts";

const KIB = 1024;
const sizesOf = (groups: readonly (readonly number[])[]) => groups.map((group) => group.length);
const grouped = (bytes: readonly number[]) => sizesOf(groupedByContent(bytes, (own) => own));

it("has at most 1 MiB of content in a group, or one item that is longer", () => {
  expect(grouped([])).toEqual([]);
  expect(grouped([512 * KIB, 512 * KIB])).toEqual([2]);
  expect(grouped([512 * KIB, 512 * KIB + 1])).toEqual([1, 1]);
  expect(grouped([1, 2_000 * KIB, 1])).toEqual([1, 1, 1]);
  expect(grouped(Array(1_000).fill(0))).toEqual([1_000]);
});

it("keeps every item, in order", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(9)), fc.nat(20), (items, most) => {
      const groups = groupedByContent(items, (item) => item, most);
      expect(groups.flat()).toEqual(items);
      for (const group of groups) {
        const bytes = group.reduce((sum, item) => sum + item, 0);
        expect(group.length === 1 || bytes <= most).toBe(true);
      }
    }),
  );
});
