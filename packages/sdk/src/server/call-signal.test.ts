import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CallSignal } from "./call-signal.ts";
import { fromRequest } from "./incoming-call.ts";

const client = () => fromRequest(new Request("http://workflow.test/run"));

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("a timeout", () => {
  // The longest timer of the platform is 2 ** 31 - 1 ms; a longer one fires after 1 ms.
  it.each([1, 50, 2 ** 31 - 2, 2 ** 31 - 1, 2 ** 31, 2 ** 31 + 1, 5 * 2 ** 31 + 3])(
    "of %d ms passes then, and not before",
    (timeout) => {
      const signal = new CallSignal(client(), timeout);
      vi.advanceTimersByTime(timeout - 1);
      expect(signal.cause).toBeNull();
      vi.advanceTimersByTime(1);
      expect(signal.cause).toBe("timeout");
      expect(vi.getTimerCount()).toBe(0);
    },
  );

  it.each([undefined, Number.POSITIVE_INFINITY])("of %s is none", (timeout) => {
    const signal = new CallSignal(client(), timeout);
    expect(vi.getTimerCount()).toBe(0);
    const work = Promise.resolve(1);
    expect(signal.beforeDeadline(work)).toBe(work);
  });

  it("no longer counts once the call is settled", () => {
    const signal = new CallSignal(client(), 2 ** 32);
    vi.advanceTimersByTime(2 ** 31);
    signal.settle();
    expect(vi.getTimerCount()).toBe(0);
    signal.abort("client-gone");
    expect(signal.cause).toBeNull();
  });

  it("ends the wait for work that ignored its client's leaving", async () => {
    const signal = new CallSignal(client(), 50);
    const waiting = signal.beforeDeadline(new Promise(() => {}));
    signal.abort("client-gone");
    vi.advanceTimersByTime(50);
    await expect(waiting).rejects.toMatchObject({ name: "AbortError" });
    expect(signal.isCancelled).toBe(true);
  });
});

describe("work before an abort", () => {
  it("settles as it does, and is not held afterwards", async () => {
    const signal = new CallSignal(client(), undefined);
    expect(await signal.beforeAbort(Promise.resolve(1))).toBe(1);
    await expect(signal.beforeAbort(Promise.reject(new Error("own")))).rejects.toThrow("own");
    signal.abort("client-gone");
    await expect(signal.beforeAbort(Promise.reject(new Error("own")))).rejects.toMatchObject({
      name: "AbortError",
    });
  });

  it("tells each listener once", () => {
    const signal = new CallSignal(client(), undefined);
    const told: string[] = [];
    signal.onAbort(() => told.push("before"));
    signal.onAbort(() => told.push("stopped"))();
    signal.abort("client-gone");
    signal.abort("timeout");
    signal.onAbort(() => told.push("after"));
    expect(told).toEqual(["before", "after"]);
    expect(signal.signal.reason).toMatchObject({ name: "AbortError" });
  });
});
