// The table of contents of @agate/sdk/evals. docs/reference/sdk.md lists every name, compared by a test.
export { type CheckOptions, checks } from "./checks.ts";
export {
  declaredEvaluations,
  type Evaluation,
  type EvaluationOptions,
  evaluation,
  type TestCase,
} from "./evaluation.ts";
export type { Gate, ScoreGate } from "./gate.ts";
export { type JudgeOptions, judge } from "./judge.ts";
export type { AiSdkModel, JudgeEndpoint, JudgeFunction, JudgeModel } from "./judge-model.ts";
export { overloadStatus } from "./overload-status.ts";
export { type RunScorersOptions, runScorers } from "./run-scorers.ts";
export { type ConfiguredCall, type ConfiguredScorer, scorer, scorerConfig } from "./scorer.ts";
export {
  type ScoreObject,
  type ScoreResult,
  type ScorerReturn,
  type Skip,
  skip,
} from "./scorer-result.ts";
export type { Judged, Scorer, ScorerCall } from "./scorer-types.ts";
export { type ToolCall, toolCalls } from "./tool-calls.ts";
