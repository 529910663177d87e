import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Step } from "./history.fixture.ts";
import { history } from "./history.fixture.ts";
import { Run } from "./run.fixture.ts";
import type { Stores } from "./stores.fixture.ts";
import { makeStores } from "./stores.fixture.ts";

const SEED = Number(process.env.AGATE_TEST_SEED ?? 20_261_115);
/** So that a failure is told with its seed, though it could be made smaller. */
const LIMIT_MS = 60_000;

/**
 * Registers a test that takes random histories through every kind of store. What one finds belongs into the
 * contract as well.
 */
export function compareHistories(count: number): void {
  let stores: Stores;
  beforeAll(async () => {
    stores = await makeStores();
    await stores.open();
  });
  afterAll(() => stores.dispose());

  it(`gives the same answers from every store, after each of ${count} histories`, async () => {
    let runs = 0;
    let running: Promise<void> | undefined;
    const takeAll = async (steps: readonly Step[]) => {
      const run = new Run(stores, `run-${++runs}`);
      for (const step of steps) await run.take(step);
      await run.readEverything();
      if (runs % count === 1 % count) await run.export();
    };
    await fc.assert(
      fc.asyncProperty(history(), (steps) => {
        running = takeAll(steps);
        return running;
      }),
      { seed: SEED, numRuns: count, interruptAfterTimeLimit: LIMIT_MS },
    );
    // The limit does not end the history that is under way, which needs the stores and their files.
    await running;
    expect(runs).toBeGreaterThan(0);
  }, 120_000);
}
