import fc from "fast-check";
import { expect, it } from "vitest";
import { ownIntervals, totalOf } from "./own-time.ts";

const anyInterval = fc
  .tuple(fc.nat(100), fc.nat(100))
  .map(([start, length]) => ({ start, end: start + length }));

it("is a span's time without that of its children, overlapping or not", () => {
  const children = [
    { start: 40, end: 60 },
    { start: 10, end: 30 },
    { start: 20, end: 45 },
    { start: 90, end: 200 },
  ];
  expect(ownIntervals({ start: 0, end: 100 }, children)).toEqual([
    { start: 0, end: 10 },
    { start: 60, end: 90 },
  ]);
});

it("has every moment in which no child runs, and no other", () => {
  fc.assert(
    fc.property(anyInterval, fc.array(anyInterval), (span, children) => {
      const own = ownIntervals(span, children);
      const isIn = (moment: number) => own.some(({ start, end }) => moment > start && moment < end);
      let length = 0;
      for (let moment = span.start + 0.5; moment < span.end; moment += 1) {
        const isChilds = children.some(({ start, end }) => moment > start && moment < end);
        expect(isIn(moment)).toBe(!isChilds);
        if (!isChilds) length += 1;
      }
      expect(totalOf(own)).toBe(length);
    }),
  );
});
