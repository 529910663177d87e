import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { backoffMs, reconnect, sleep } from "./reconnect.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it("doubles the pause up to a limit, and shortens it by up to a half at random", () => {
  const pauses = (random: number) =>
    [1, 2, 3, 6, 7, 50].map((failures) => backoffMs(failures, { random: () => random }));
  expect(pauses(1)).toEqual([500, 1000, 2000, 15_000, 15_000, 15_000]);
  expect(pauses(0)).toEqual([250, 500, 1000, 7500, 7500, 7500]);
});

/** Connections that end as told, one after the other, and the pauses between them. */
async function pausesBetween(...connections: readonly ("ends" | "fails" | "works")[]) {
  const pauses: number[] = [];
  const left = [...connections];
  const stop = new AbortController();
  const failures: number[] = [];
  await reconnect({
    connect: async (established) => {
      const connection = left.shift();
      if (connection === undefined) stop.abort();
      if (connection === "works") established();
      if (connection === "fails") throw new Error("refused");
    },
    signal: stop.signal,
    random: () => 1,
    onLost: (count) => failures.push(count),
    pause: async (milliseconds) => {
      pauses.push(milliseconds);
    },
  });
  return { pauses, failures };
}

it("connects again after an end and after a failure, with growing pauses", async () => {
  const { pauses, failures } = await pausesBetween("fails", "ends", "fails");
  expect(pauses).toEqual([500, 1000, 2000]);
  expect(failures).toEqual([1, 2, 3]);
});

it("starts with a short pause again once a connection was established", async () => {
  expect((await pausesBetween("fails", "fails", "works", "fails")).pauses).toEqual([
    500, 1000, 500, 1000,
  ]);
});

it("throws a failure that is not transient", async () => {
  const connect = vi.fn(() => Promise.reject(new Error("forbidden")));
  const { signal } = new AbortController();
  const ended = reconnect({ connect, signal, isTransient: () => false });
  await expect(ended).rejects.toThrow("forbidden");
  expect(connect).toHaveBeenCalledOnce();
});

it("stops pausing when the signal fires", async () => {
  const stop = new AbortController();
  const connect = vi.fn(async () => {});
  const ended = reconnect({ connect, signal: stop.signal });
  await vi.advanceTimersByTimeAsync(0);
  stop.abort();
  await ended;
  expect(connect).toHaveBeenCalledOnce();
  expect(vi.getTimerCount()).toBe(0);
  await sleep(1000, stop.signal);
});
