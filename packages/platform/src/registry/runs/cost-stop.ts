import type { RunCosts } from "@agate/protocol";

/** Why a run was stopped for its cost. */
export type CostStop = "reached" | "unknown";

/** Whether a ceiling stops a run: undefined while it may go on. An unknown cost could be any. */
export function costStop(costs: RunCosts, most: number | null): CostStop | undefined {
  if (most === null) return undefined;
  if (costs.unknown_calls + costs.unknown_judges > 0) return "unknown";
  return costs.calls + costs.judges >= most ? "reached" : undefined;
}

/** For the run's `reason`. */
export function stopReason(stop: CostStop): string {
  return stop === "reached"
    ? "The cost ceiling was reached."
    : "A cost is unknown, so the cost ceiling cannot be kept.";
}
