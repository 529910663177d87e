export type { CallFigures, MeanScore } from "./bounds.ts";
export { boundCost, boundErrors, boundLatency, boundScore, meanScore } from "./bounds.ts";
export { moreCasesNeeded, smallestMargin } from "./case-counts.ts";
export type { Comparison } from "./compare-scores.ts";
export { compareScores, notWorseBy } from "./compare-scores.ts";
export type { Interval } from "./difference-interval.ts";
export { differenceInterval } from "./difference-interval.ts";
export type {
  GateVerdict,
  RunFindings,
  RunGates,
  RunVerdict,
  ScoreGates,
} from "./judge-run.ts";
export { judgeRun } from "./judge-run.ts";
export type { CaseScores, ScoreOutcome } from "./score-outcome.ts";
export type { Verdict } from "./verdict.ts";
export { overallVerdict } from "./verdict.ts";
