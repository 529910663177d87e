import { expect, it } from "vitest";
import { CoalescedTask } from "./coalesced-task.ts";

/** A task whose runs end when the test says so. */
function gatedTask() {
  const gates: PromiseWithResolvers<void>[] = [];
  const task = new CoalescedTask(() => {
    const gate = Promise.withResolvers<void>();
    gates.push(gate);
    return gate.promise;
  });
  return { task, gates };
}

it("runs once more for calls that come while it runs", async () => {
  const { task, gates } = gatedTask();
  const first = task.run();
  await expect.poll(() => gates.length).toBe(1);
  const [second, third] = [task.run(), task.run()];
  gates[0]?.resolve();
  await first;
  await expect.poll(() => gates.length).toBe(2);
  gates[1]?.resolve();
  await Promise.all([second, third]);
  expect(gates).toHaveLength(2);
});

it("loses no call at any moment around the end of a run", async () => {
  // A call some microtasks after the end: with a flag that is cleared late, it would be dropped.
  for (let ticks = 0; ticks < 12; ticks++) {
    const { task, gates } = gatedTask();
    void task.run();
    await expect.poll(() => gates.length).toBe(1);
    gates[0]?.resolve();
    for (let n = 0; n < ticks; n++) await Promise.resolve();
    const asked = task.run();
    await expect.poll(() => gates.length).toBe(2);
    gates[1]?.resolve();
    await asked;
  }
});

it("runs again after a run that failed, and tells only its own callers", async () => {
  const { task, gates } = gatedTask();
  const first = task.run();
  await expect.poll(() => gates.length).toBe(1);
  const second = task.run();
  gates[0]?.reject(new Error("the first"));
  await expect(first).rejects.toThrow("the first");
  await expect.poll(() => gates.length).toBe(2);
  gates[1]?.resolve();
  await second;
});

it("is idle when the last run that was asked for has ended", async () => {
  const { task, gates } = gatedTask();
  let isIdle = false;
  void task.run();
  await expect.poll(() => gates.length).toBe(1);
  void task.run();
  const idle = task.idle().then(() => {
    isIdle = true;
  });
  gates[0]?.resolve();
  await expect.poll(() => gates.length).toBe(2);
  expect(isIdle).toBe(false);
  gates[1]?.resolve();
  await idle;
});
