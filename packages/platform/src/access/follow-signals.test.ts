import { expect, it } from "vitest";
import { LocalSignals } from "../stores/registry/registry-signals.ts";
import { followSignals } from "./follow-signals.ts";

/** Signals that are followed by a reload that fails as often as it is told. */
function followed(failures: number) {
  const signals = new LocalSignals();
  const failed: unknown[] = [];
  const state = { reloads: 0, isRunning: false };
  const reload = async () => {
    expect(state.isRunning).toBe(false);
    state.isRunning = true;
    await Promise.resolve();
    state.isRunning = false;
    state.reloads += 1;
    if (state.reloads <= failures) throw new Error("The database is away");
  };
  const following = followSignals(signals, reload, (error) => failed.push(error));
  return { signals, failed, state, following };
}

it("reloads after what concerns access, and again for what came meanwhile", async () => {
  const { signals, state, following } = followed(0);
  signals.announce({ kind: "config", applicationId: "app_1" });
  signals.announce({ kind: "builds", applicationId: "app_1" });
  expect(state).toEqual({ reloads: 0, isRunning: false });
  for (let n = 0; n < 10; n++) signals.announce({ kind: "access" });
  await expect.poll(() => state.reloads).toBe(2);
  signals.announce({ kind: "everything" });
  await expect.poll(() => state.reloads).toBe(3);
  await following.stop();
  signals.announce({ kind: "access" });
  expect(state).toEqual({ reloads: 3, isRunning: false });
});

it("tries again until it has reloaded", async () => {
  const { signals, failed, state, following } = followed(2);
  signals.announce({ kind: "access" });
  await expect.poll(() => state.reloads, { timeout: 15_000 }).toBe(3);
  expect(failed).toHaveLength(2);
  await following.stop();
});

it("stops while it waits to try again", async () => {
  const { signals, failed, state, following } = followed(Number.POSITIVE_INFINITY);
  signals.announce({ kind: "access" });
  await expect.poll(() => failed.length).toBeGreaterThan(0);
  const { reloads } = state;
  await following.stop();
  expect(state.reloads).toBeLessThanOrEqual(reloads + 1);
});
