import { expect, test, vi } from "vitest";
import { RunQueue } from "./run-queue.ts";

/** Tasks that end when they are told to. */
function recorder(queue: RunQueue) {
  const ends = new Map<string, () => void>();
  const begun: string[] = [];
  const aborted: string[] = [];
  const add = (key: string) =>
    queue.add(key, (signal) => {
      begun.push(key);
      signal.addEventListener("abort", () => aborted.push(key));
      return new Promise((resolve) => ends.set(key, resolve));
    });
  return { add, begun, aborted, end: (key: string) => ends.get(key)?.() };
}

test("A few tasks run at once, the others in their order as places become free", async () => {
  const queue = new RunQueue(2);
  const { add, begun, end } = recorder(queue);
  for (const key of ["a", "b", "c", "d"]) add(key);
  expect(begun).toEqual(["a", "b"]);
  end("b");
  await vi.waitFor(() => expect(begun).toEqual(["a", "b", "c"]));
  end("a");
  await vi.waitFor(() => expect(begun).toEqual(["a", "b", "c", "d"]));
});

test("A task that fails gives its place to the next", async () => {
  const queue = new RunQueue(1);
  const { add, begun } = recorder(queue);
  queue.add("broken", () => Promise.reject(new Error("It failed.")));
  add("a");
  await vi.waitFor(() => expect(begun).toEqual(["a"]));
});

test("A stopped task is aborted, and its place is free at once", () => {
  const queue = new RunQueue(1);
  const { add, begun, aborted } = recorder(queue);
  add("a");
  add("b");
  expect(queue.stop("a")).toBe(true);
  expect({ begun, aborted }).toEqual({ begun: ["a", "b"], aborted: ["a"] });
});

test("A task that waits is never begun once it is stopped", async () => {
  const queue = new RunQueue(1);
  const { add, begun, end } = recorder(queue);
  for (const key of ["a", "b", "c"]) add(key);
  expect(queue.stop("b")).toBe(true);
  end("a");
  await vi.waitFor(() => expect(begun).toEqual(["a", "c"]));
  expect(queue.stop("b")).toBe(false);
});

test("The same key again stops the one before, whose late end is not taken for the new one's", async () => {
  const queue = new RunQueue(1);
  const ends: (() => void)[] = [];
  const task = () => new Promise<void>((resolve) => ends.push(resolve));
  queue.add("a", task);
  queue.add("a", task);
  const { add, begun } = recorder(queue);
  add("b");
  ends[0]?.();
  await new Promise((resolve) => setTimeout(resolve));
  expect(begun).toEqual([]);
  ends[1]?.();
  await vi.waitFor(() => expect(begun).toEqual(["b"]));
});
