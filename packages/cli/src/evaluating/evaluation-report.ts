import { type GateSentence, gateSentences } from "@agate/protocol/evaluations";
import type { RunGates, Verdict } from "@agate/protocol/statistics";
import type { EvaluationOutcome } from "./run-evaluation.ts";

/** One evaluation of a command, as reporters show it. */
export interface EvaluationReport {
  readonly name: string;
  readonly route: string;
  readonly gate: RunGates | null;
  readonly testset: { readonly source: string; readonly cases: number };
  readonly trials: number;
  readonly outcome: EvaluationOutcome;
  /** Of the run on a platform; null where none has it. */
  readonly address: string | null;
  /** What decides the exit code. */
  readonly result: EvaluationResult;
}

/** Beside a verdict: without a gate, or a run that did not reach its end. */
export type EvaluationResult = Verdict | "no-gate" | "interrupted" | "stopped";

export function resultOf({ end, summary }: EvaluationOutcome): EvaluationResult {
  if (end === "interrupted") return "interrupted";
  if (end !== "finished") return "stopped";
  return summary.verdict ?? "no-gate";
}

/** How `agate eval` ends, for scripts. */
export const EVAL_EXIT_CODES = {
  passed: 0,
  failed: 1,
  couldNotRun: 2,
  undecided: 3,
  interrupted: 130,
} as const;

const EXIT_CODE: Readonly<Record<EvaluationResult, number>> = {
  passed: EVAL_EXIT_CODES.passed,
  "no-gate": EVAL_EXIT_CODES.passed,
  failed: EVAL_EXIT_CODES.failed,
  unscored: EVAL_EXIT_CODES.couldNotRun,
  stopped: EVAL_EXIT_CODES.couldNotRun,
  undecided: EVAL_EXIT_CODES.undecided,
  interrupted: EVAL_EXIT_CODES.interrupted,
};

/** From what decides first: a failure is a finding whatever else there is. */
const BY_WEIGHT = [
  EVAL_EXIT_CODES.interrupted,
  EVAL_EXIT_CODES.failed,
  EVAL_EXIT_CODES.couldNotRun,
  EVAL_EXIT_CODES.undecided,
];

/** Of all evaluations of a command together. */
export function exitCodeOf(results: readonly EvaluationResult[]): number {
  const codes = results.map((result) => EXIT_CODE[result]);
  return BY_WEIGHT.find((code) => codes.includes(code)) ?? EVAL_EXIT_CODES.passed;
}

/** A sentence for each gate of an evaluation, in the order of their declaration. */
export function gateSentencesOf({ outcome, gate }: EvaluationReport): GateSentence[] {
  const { gates, figures } = outcome.summary;
  return gateSentences({ gates, gate, figures });
}
