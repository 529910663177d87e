import { expect, test } from "vitest";
import { refreshMs } from "./runs.ts";

test.each([
  [{ status: "running", results: 1000 }, 1000],
  [{ status: "running", results: 1001 }, 3000],
  [{ status: "running", results: 20_000 }, 3000],
  [{ status: "running", results: 20_001 }, 15_000],
  [{ status: "finished", results: 1 }, false],
  [{ status: "stopped", results: 20_001 }, false],
] as const)("A run %o is asked for again after %s ms", (run, interval) => {
  expect(refreshMs(run)).toBe(interval);
});
