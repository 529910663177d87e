// What `agate eval` runs evaluations with: the same runner as the platform's.
export { CostCeiling, type CostStop } from "../evaluations/cost-ceiling.ts";
export {
  type CallTarget,
  EvaluatorClient,
  EvaluatorGone,
} from "../evaluations/evaluator-client.ts";
export { planItems, seededRandom } from "../evaluations/plan-items.ts";
export type { ColumnRole, ItemResult, RunCase, RunItem } from "../evaluations/run-item.ts";
export { itemKey } from "../evaluations/run-item.ts";
export {
  type CallAttempt,
  type ItemPerformer,
  type RunEnd,
  runItems,
  type ScoreAttempt,
} from "../evaluations/run-items.ts";
