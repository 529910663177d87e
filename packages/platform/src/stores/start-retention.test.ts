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
  const newestArrival = async () => NOW * 1000;
  return { store: { expire, newestArrival }, calls };
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

it("deletes a limited number a round, and continues in the next", async () => {
  const { store, calls } = storeWith(230);
  const report = vi.fn();
  const stop = startRetention(store, 5000, report, { perRound: 100 });
  await settle();
  expect(report.mock.calls).toEqual([[{ deleted: 100, more: true }]]);
  expect(calls).toHaveLength(2);
  vi.advanceTimersByTime(1000);
  await settle();
  vi.advanceTimersByTime(1000);
  await settle();
  expect(report.mock.calls.slice(1)).toEqual([[{ deleted: 100, more: true }], [{ deleted: 30 }]]);
  await stop();
});

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

it.each([
  // keep, jump, held
  [30 * DAY, 4 * DAY, true],
  [30 * DAY, 2 * DAY, false],
  [30 * DAY, 400 * DAY, true],
  [5_000, 2 * HOUR, true],
  [5_000, HOUR, false],
  [5_000, -400 * DAY, false],
])("with %i ms kept and a clock that jumps by %i ms, stops: %s", async (keepMs, jump, isHeld) => {
  const { store, calls } = storeWith(0, 50);
  const report = vi.fn();
  let now = NOW;
  let elapsed = 0;
  const clocks = { now: () => now, elapsed: () => elapsed };
  const stop = startRetention(store, keepMs, report, clocks);
  await settle();
  now += 60_000 + jump;
  elapsed += 60_000;
  vi.advanceTimersByTime(60_000);
  await settle();
  if (isHeld) {
    expect(report.mock.calls).toEqual([
      [{ held: expect.stringMatching(/jumped forward.*restarted/) }],
    ]);
    expect(calls).toHaveLength(1);
  } else {
    expect(report.mock.calls).toEqual([[{ deleted: 50 }]]);
  }
  // It stays so, even when the clock is right again.
  now -= jump;
  vi.advanceTimersByTime(600_000);
  await settle();
  if (isHeld) expect(calls).toHaveLength(1);
  await stop();
});

it.each([
  [30 * DAY, 31 * DAY, true],
  [30 * DAY, 29 * DAY, false],
  [5_000, 25 * HOUR, true],
  [5_000, 23 * HOUR, false],
])(
  "with %i ms kept and nothing arrived for %i ms at the start, stops: %s",
  async (keepMs, silent, isHeld) => {
    const { store, calls } = storeWith(50);
    const report = vi.fn();
    const newestArrival = async () => (NOW - silent) * 1000;
    const stop = startRetention({ ...store, newestArrival }, keepMs, report);
    await settle();
    if (isHeld) {
      expect(report.mock.calls).toEqual([[{ held: expect.stringMatching(/would delete every/) }]]);
      expect(calls).toEqual([]);
    } else {
      expect(report.mock.calls).toEqual([[{ deleted: 50 }]]);
    }
    await stop();
  },
);
