import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { RetrySchedule } from "./replicas.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it("doubles the delay, and starts over for another version", () => {
  const retries = new RetrySchedule();
  const delays = (version: string, times: number) =>
    Array.from({ length: times }, () => {
      const again = vi.fn();
      const inMs = retries.schedule("app_1", version, again);
      expect(retries.isWaiting("app_1", version)).toBe(true);
      expect(retries.isWaiting("app_1", "another")).toBe(false);
      expect(retries.isWaiting("app_2", version)).toBe(false);
      vi.advanceTimersByTime(inMs - 1);
      expect(again).not.toHaveBeenCalled();
      vi.advanceTimersByTime(1);
      expect(again).toHaveBeenCalledOnce();
      expect(retries.isWaiting("app_1", version)).toBe(false);
      return inMs;
    });
  const build = delays("build 2", 12);
  expect(build[0]).toBeGreaterThan(0);
  // Each is at least half of the longest that it may be, which doubles.
  for (const [n, inMs] of build.entries()) {
    const longest = Math.min(250 * 2 ** n, 30_000);
    expect(inMs).toBeGreaterThanOrEqual(longest / 2);
    expect(inMs).toBeLessThanOrEqual(longest);
  }
  expect(delays("build 3", 1)[0]).toBeLessThanOrEqual(250);
  retries.cancel("app_1");
  expect(delays("build 3", 1)[0]).toBeLessThanOrEqual(250);
});

it("runs the last retry of a key, and none that was cancelled or closed", () => {
  const retries = new RetrySchedule();
  const [first, second, third] = [vi.fn(), vi.fn(), vi.fn()];
  retries.schedule("app_1", "build 2", first);
  retries.schedule("app_1", "build 3", second);
  retries.schedule("app_2", "build 1", third);
  retries.cancel("app_2");
  vi.runAllTimers();
  expect([first, second, third].map(({ mock }) => mock.calls.length)).toEqual([0, 1, 0]);
  retries.schedule("app_1", "build 3", first);
  retries.close();
  expect(vi.getTimerCount()).toBe(0);
});
