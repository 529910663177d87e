import { expect, it } from "vitest";
import { SummaryPacer } from "./summary-pacer.ts";

function pacedBy(clock: { now: number }) {
  return new SummaryPacer(() => clock.now);
}

it.each([
  [0, 0],
  [100, 0],
  [101, 505],
  [6_000, 30_000],
  [12_001, 60_000],
])("lets a trace whose summary took %i ms rest for %i ms", (took, rest) => {
  const clock = { now: 5 };
  const pacer = pacedBy(clock);
  clock.now += took;
  pacer.made(7, took);
  const end = clock.now + rest;
  expect(pacer.nextTurn()).toBe(rest === 0 ? undefined : rest);
  clock.now = end - 1;
  expect(pacer.resting()).toEqual(rest === 0 ? [] : [7]);
  clock.now = end;
  expect(pacer.resting()).toEqual([]);
  expect(pacer.nextTurn()).toBeUndefined();
});

it("knows whose turn comes first", () => {
  const clock = { now: 0 };
  const pacer = pacedBy(clock);
  pacer.made(1, 1_000);
  pacer.made(2, 200);
  expect(pacer.resting()).toEqual([1, 2]);
  expect(pacer.nextTurn()).toBe(1_000);
  clock.now = 1_000;
  expect(pacer.resting()).toEqual([1]);
  expect(pacer.nextTurn()).toBe(4_000);
});
