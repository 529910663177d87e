import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { SpanStore } from "./span-store.ts";
import { startRetention } from "./start-retention.ts";

const NOW = Date.parse("2026-11-15T00:00:00Z");

beforeEach(
  () => void vi.useFakeTimers({ now: NOW, toFake: ["setTimeout", "clearTimeout", "Date"] }),
);
afterEach(() => void vi.useRealTimers());

/** A store that has this many traces to expire in each of the coming rounds. */
function storeWith(...rounds: (number | Error)[]) {
  const calls: { receivedBefore: number; limit: number }[] = [];
  let left: number | Error = rounds.shift() ?? 0;
  const expire: SpanStore["expire"] = async (receivedBefore, limit) => {
    calls.push({ receivedBefore, limit });
    if (left instanceof Error) {
      const error = left;
      left = rounds.shift() ?? 0;
      throw error;
    }
    const deleted = Math.min(left, limit);
    left = deleted < limit ? (rounds.shift() ?? 0) : left - deleted;
    return deleted;
  };
  return { store: { expire } as SpanStore, calls };
}

/** Lets the steps that follow each other at once take place; the clock stands still. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await nextTurn();
}

it("deletes in steps until nothing is left, counted from the server's clock", async () => {
  const { store, calls } = storeWith(120);
  const report = vi.fn();
  const stop = startRetention(store, 5000, report);
  await settle();
  expect(report.mock.calls).toEqual([[{ deleted: 120 }]]);
  expect(calls).toEqual(Array(3).fill({ receivedBefore: (NOW - 5000) * 1000, limit: 50 }));
  await stop();
});

it.each([
  ["2s", 2_000, 1_000],
  ["100s", 100_000, 10_000],
  ["30d", 30 * 86_400_000, 60_000],
])("looks again after a tenth of %s, within bounds", async (_, keepMs, pauseMs) => {
  const { store, calls } = storeWith();
  const stop = startRetention(store, keepMs, () => {});
  await settle();
  vi.advanceTimersByTime(pauseMs - 1);
  await settle();
  expect(calls).toHaveLength(1);
  vi.advanceTimersByTime(1);
  await settle();
  expect(calls).toHaveLength(2);
  await stop();
});

it("reports a failure and tries again", async () => {
  const { store } = storeWith(new Error("disk full"), 7);
  const report = vi.fn();
  const stop = startRetention(store, 5000, report);
  await settle();
  vi.advanceTimersByTime(1000);
  await settle();
  expect(report.mock.calls).toEqual([[{ failed: new Error("disk full") }], [{ deleted: 7 }]]);
  await stop();
});

it("does nothing once it was stopped", async () => {
  const { store, calls } = storeWith(1_000_000);
  const stop = startRetention(store, 5000, () => {});
  await settle();
  await stop();
  const { length } = calls;
  expect(length).toBeGreaterThan(2);
  vi.advanceTimersByTime(120_000);
  await settle();
  expect(calls).toHaveLength(length);
});
