import fc from "fast-check";
import { expect, it } from "vitest";
import type { Place } from "./unindexed-places.ts";
import { toRuns } from "./zone-runs.ts";

it("are of the same segments, each in one run", () => {
  const place = fc.tuple(fc.constant(7), fc.nat(6), fc.nat(4));
  fc.assert(
    fc.property(fc.array(place, { maxLength: 30 }), (places) => {
      const { day, firstTraces, lastTraces, firstSegments, lastSegments } = toRuns(7, places);
      const covered: Place[] = [];
      for (const [n, first] of firstTraces.entries()) {
        for (let trace = first; trace <= lastTraces[n]!; trace++) {
          for (let s = firstSegments[n]!; s <= lastSegments[n]!; s++) covered.push([day, trace, s]);
        }
      }
      const texts = covered.map((one) => JSON.stringify(one));
      expect(texts.toSorted()).toEqual(
        [...new Set(places.map((one) => JSON.stringify(one)))].toSorted(),
      );
    }),
  );
});

it("are few where traces arrived in one batch each", () => {
  const places = Array.from({ length: 100 }, (_, n): Place => [7, 100 - n, 0]);
  expect(toRuns(7, places)).toEqual({
    day: 7,
    firstTraces: [1],
    lastTraces: [100],
    firstSegments: [0],
    lastSegments: [0],
  });
});
