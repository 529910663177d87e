// What `agate eval` runs evaluations with: the same runner as the platform's.
export {
  type CasesRefusal,
  caseSource,
  casesOf,
  hashCases,
  inlineCases,
  rowsOfFile,
} from "../evaluations/case-source.ts";
export { CostCeiling } from "../evaluations/cost-ceiling.ts";
export { createPerformer, type PerformedColumn } from "../evaluations/create-performer.ts";
export { earlierOutputs } from "../evaluations/earlier-outputs.ts";
export {
  type CallTarget,
  EvaluatorClient,
  EvaluatorGone,
} from "../evaluations/evaluator-client.ts";
export { planItems, seededRandom } from "../evaluations/plan-items.ts";
export { batchesOf, resultBody } from "../evaluations/report-bodies.ts";
export type { ColumnRole, ItemResult, RunCase, RunItem } from "../evaluations/run-item.ts";
export { itemKey } from "../evaluations/run-item.ts";
export {
  type CallAttempt,
  type ItemPerformer,
  type RunEnd,
  runItems,
  type ScoreAttempt,
} from "../evaluations/run-items.ts";
export type { StoredOutputs } from "../evaluations/stored-outputs.ts";
export { type CostStop, stopReason } from "../registry/runs/cost-stop.ts";
