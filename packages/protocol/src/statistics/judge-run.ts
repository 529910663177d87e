import {
  boundCost,
  boundErrors,
  boundLatency,
  boundScore,
  type CallFigures,
  type MeanScore,
  meanScore,
} from "./bounds.ts";
import { moreCasesNeeded } from "./case-counts.ts";
import { type Comparison, compareScores, notWorseBy } from "./compare-scores.ts";
import type { CaseScores } from "./score-outcome.ts";
import { overallVerdict, type Verdict } from "./verdict.ts";

/** What a run must reach to pass: all of it. Scores by the names of their scorers. */
export interface RunGates {
  readonly scores?: Readonly<Record<string, ScoreGates | undefined>> | undefined;
  /** The highest mean cost of a call, in US dollars. */
  readonly cost?: { readonly mean: number } | undefined;
  /** Milliseconds within which 95 of 100 calls must end. */
  readonly latency?: { readonly p95: number } | undefined;
  /** The highest share of calls that may fail. */
  readonly errors?: { readonly share: number } | undefined;
}

export interface ScoreGates {
  readonly min?: number | undefined;
  readonly notWorseBy?: number | undefined;
}

/** What a run has found, of the candidate and, in a run of two columns, of the baseline. */
export interface RunFindings {
  /** One scorer's outcomes, case by case. */
  readonly scores: Readonly<Record<string, readonly CaseScores[]>>;
  readonly calls: CallFigures;
}

/** The verdict of one gate, and the figures that it follows from. */
export type GateVerdict =
  | {
      readonly gate: "notWorseBy";
      readonly score: string;
      readonly verdict: Verdict;
      readonly comparison: Comparison | undefined;
      /** After an undecided gate: about how many further cases would decide it. */
      readonly moreCases: number | undefined;
    }
  | {
      readonly gate: "min";
      readonly score: string;
      readonly verdict: Verdict;
      readonly mean: MeanScore;
    }
  | { readonly gate: "cost" | "latency" | "errors"; readonly verdict: Verdict };

export interface RunVerdict {
  /** Undefined where the run has no gate. */
  readonly verdict: Verdict | undefined;
  readonly gates: readonly GateVerdict[];
}

/** Judges a run by its gates: the one answer that the command line and the platform both give. */
export function judgeRun(gates: RunGates, { scores, calls }: RunFindings): RunVerdict {
  const judged: GateVerdict[] = [];
  for (const [score, bounds] of Object.entries(gates.scores ?? {})) {
    if (bounds === undefined) continue;
    // A score that no case has is unscored: a gate must not pass by its scorer's absence.
    const cases = Object.hasOwn(scores, score) ? (scores[score] ?? []) : [];
    judged.push(...judgeScore(score, bounds, cases));
  }
  const { cost, latency, errors } = gates;
  if (cost) judged.push({ gate: "cost", verdict: boundCost(cost.mean, calls) });
  if (latency) judged.push({ gate: "latency", verdict: boundLatency(latency.p95, calls) });
  if (errors) judged.push({ gate: "errors", verdict: boundErrors(errors.share, calls) });
  return { verdict: overallVerdict(judged.map(({ verdict }) => verdict)), gates: judged };
}

function* judgeScore(
  score: string,
  { min, notWorseBy: margin }: ScoreGates,
  cases: readonly CaseScores[],
): Generator<GateVerdict> {
  if (min !== undefined) {
    const mean = meanScore(cases);
    yield { gate: "min", score, verdict: boundScore(min, mean), mean };
  }
  if (margin === undefined) return;
  const compared = cases.filter(hasBaseline);
  const gate = { gate: "notWorseBy", score } as const;
  // Without a baseline for every case there is nothing to be compared with.
  if (compared.length === 0 || compared.length < cases.length) {
    yield { ...gate, verdict: "unscored", comparison: undefined, moreCases: undefined };
    return;
  }
  const comparison = compareScores(compared);
  const verdict = notWorseBy(margin, comparison);
  // A gate that missing values have left open is not decided by more cases.
  const isOpen = verdict === "undecided" && comparison.observed.low <= -margin;
  const moreCases = isOpen ? moreCasesNeeded(margin, comparison.observed) : undefined;
  yield { ...gate, verdict, comparison, moreCases };
}

function hasBaseline(scores: CaseScores): scores is Required<CaseScores> {
  return scores.baseline !== undefined;
}
