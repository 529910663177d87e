import { compareScores } from "../statistics/compare-scores.ts";
import { judgeRun, type RunGates, type RunVerdict } from "../statistics/judge-run.ts";
import { type CaseScores, meanOfValues, type ScoreOutcome } from "../statistics/score-outcome.ts";
import {
  BASELINE_COLUMN,
  type ColumnFigures,
  type RunCaseColumn,
  type RunFigures,
  type ScoreCounts,
  type ScoreFigures,
} from "./run.ts";

/** What a run consists of: as many results as cases × trials × columns. */
export interface RunShape {
  readonly cases: number;
  readonly trials: number;
  /** The first is the candidate; `baseline` is what it is compared with. */
  readonly columns: readonly string[];
  /** The names of the scores. */
  readonly scorers: readonly string[];
}

/** Where a result belongs: the places of its case and column in their lists, and its trial, from 0. */
export interface ItemPlace {
  readonly case: number;
  readonly column: number;
  readonly trial: number;
}

/** What counts of a result. */
export interface TalliedResult {
  readonly status: "ok" | "error";
  readonly latency: number | null;
  readonly cost: number | null;
  readonly judgeCost: number | null;
  /** By score. A score that is not there counts as failed. */
  readonly outcomes: Readonly<Record<string, ScoreOutcome>>;
}

/** How much worse the candidate is than the baseline on one case. */
export interface CaseDifference {
  /** The case's place in the list of cases. */
  readonly case: number;
  /** The lowest of its differences; null where the candidate lacks a value that the baseline has. */
  readonly worst: number | null;
}

/** In place of a value, which is from 0 to 1. */
const [SKIPPED, FAILED, MISSING] = [-1, -2, -3];
/** States of an item. */
const [NO_RESULT, OK, ERROR] = [0, 1, 2];

/**
 * Adds up the results of a run, one by one and in any order, for its figures and its verdict. It holds
 * a number for each item and score, never the results: 300,000 items with ten scores take 30 MB.
 */
export class RunTally {
  readonly #shape: RunShape;
  readonly #baseline: number;
  readonly #states: Uint8Array;
  readonly #latencies: Float64Array;
  readonly #costs: Float64Array;
  readonly #judgeCosts: Float64Array;
  readonly #scores: ReadonlyMap<string, Float64Array>;

  constructor(shape: RunShape) {
    const items = shape.cases * shape.trials * shape.columns.length;
    this.#shape = shape;
    this.#baseline = shape.columns.indexOf(BASELINE_COLUMN, 1);
    this.#states = new Uint8Array(items);
    this.#latencies = new Float64Array(items).fill(Number.NaN);
    this.#costs = new Float64Array(items).fill(Number.NaN);
    this.#judgeCosts = new Float64Array(items).fill(Number.NaN);
    this.#scores = new Map(
      shape.scorers.map((name) => [name, new Float64Array(items).fill(MISSING)]),
    );
  }

  add(place: ItemPlace, result: TalliedResult): void {
    const at = this.#at(place.column, place.case) + place.trial;
    const isOk = result.status === "ok";
    this.#states[at] = isOk ? OK : ERROR;
    // A call that failed fast is no fast call.
    if (isOk && result.latency !== null) this.#latencies[at] = result.latency;
    if (result.cost !== null) this.#costs[at] = result.cost;
    if (result.judgeCost !== null) this.#judgeCosts[at] = result.judgeCost;
    for (const [name, values] of this.#scores) {
      const outcome = Object.hasOwn(result.outcomes, name) ? result.outcomes[name] : undefined;
      values[at] = isOk ? encoded(outcome) : FAILED;
    }
  }

  /** The verdict on the results so far: what has none counts as missing. */
  judge(gates: RunGates): RunVerdict {
    const scores: Record<string, readonly CaseScores[]> = {};
    for (const [name, values] of this.#scores) {
      // Made when it is asked for: all of them at once would take far more memory than the tally.
      Object.defineProperty(scores, name, { get: () => this.#caseScores(values) });
    }
    const states = this.#ofColumn(this.#states, 0);
    const missing = countOf(states, NO_RESULT);
    const ofCalls = (values: Float64Array) =>
      Array.from(this.#ofColumn(values, 0), (value, at) =>
        states[at] === OK ? known(value) : undefined,
      );
    return judgeRun(gates, {
      scores,
      calls: {
        latencies: ofCalls(this.#latencies),
        costs: ofCalls(this.#costs),
        errors: countOf(states, ERROR),
        calls: states.length - missing,
        missing,
      },
    });
  }

  figures(): RunFigures {
    return {
      columns: this.#shape.columns.map((name, column) => this.#columnFigures(name, column)),
      scores: [...this.#scores].map(([score, values]) => this.#scoreFigures(score, values)),
    };
  }

  /** One case in each column. */
  caseColumns(index: number): readonly RunCaseColumn[] {
    return this.#shape.columns.map((column, number) => {
      const of = <Values extends Float64Array | Uint8Array>(values: Values) =>
        this.#ofCase(values, number, index);
      const states = of(this.#states);
      const results = states.length - countOf(states, NO_RESULT);
      const costs = knownOf(of(this.#costs));
      return {
        column,
        results,
        errors: countOf(states, ERROR),
        latency_ms: meanOf(knownOf(of(this.#latencies))),
        cost: results > 0 && costs.length === results ? sumOf(costs) : null,
        scores: Object.fromEntries(
          [...this.#scores].map(([name, values]) => {
            const outcomes = of(values);
            return [name, { mean: meanOfCase(outcomes), ...counts(outcomes) }];
          }),
        ),
      };
    });
  }

  /** Candidate − baseline of one case by score; empty without a baseline. */
  differences(index: number): Readonly<Record<string, number | null>> {
    if (this.#baseline === -1) return {};
    return Object.fromEntries(
      [...this.#scores].map(([name, values]) => [name, this.#difference(values, index)]),
    );
  }

  /**
   * The cases where the candidate is worse than the baseline, worst first: before all others those
   * where it lacks a value that the baseline has. Of one score, or of any.
   */
  worse(score: string | null): readonly CaseDifference[] {
    if (this.#baseline === -1) return [];
    const worse: CaseDifference[] = [];
    for (let index = 0; index < this.#shape.cases; index++) {
      const worst = this.#worst(index, score);
      if (worst === null || worst < 0) worse.push({ case: index, worst });
    }
    return worse.sort((a, b) => (a.worst ?? -Infinity) - (b.worst ?? -Infinity) || a.case - b.case);
  }

  /** Null where the candidate lacks a value that the baseline has; 0 where nothing is worse. */
  #worst(index: number, score: string | null): number | null {
    let worst = 0;
    for (const [name, values] of this.#scores) {
      if (score !== null && name !== score) continue;
      const difference = this.#difference(values, index);
      if (difference !== null) worst = Math.min(worst, difference);
      else if (meanOfCase(this.#ofCase(values, this.#baseline, index)) !== null) return null;
    }
    return worst;
  }

  #difference(values: Float64Array, index: number): number | null {
    const ours = meanOfCase(this.#ofCase(values, 0, index));
    const theirs = meanOfCase(this.#ofCase(values, this.#baseline, index));
    return ours === null || theirs === null ? null : ours - theirs;
  }

  #caseScores(values: Float64Array): readonly CaseScores[] {
    return Array.from({ length: this.#shape.cases }, (_, index) => {
      const candidate = Array.from(this.#ofCase(values, 0, index), decoded);
      if (this.#baseline === -1) return { candidate };
      const baseline = Array.from(this.#ofCase(values, this.#baseline, index), decoded);
      return { candidate, baseline };
    });
  }

  #columnFigures(column: string, number: number): ColumnFigures {
    const states = this.#ofColumn(this.#states, number);
    const missing = countOf(states, NO_RESULT);
    const results = states.length - missing;
    const latencies = knownOf(this.#ofColumn(this.#latencies, number)).sort();
    const costs = knownOf(this.#ofColumn(this.#costs, number));
    const judgeCosts = knownOf(this.#ofColumn(this.#judgeCosts, number));
    const mean = meanOf(latencies);
    return {
      column,
      results,
      errors: countOf(states, ERROR),
      missing,
      latency_ms:
        mean === null ? null : { mean, p50: rank(latencies, 50), p95: rank(latencies, 95) },
      cost: { total: sumOf(costs), mean: meanOf(costs), unknown: results - costs.length },
      judge_cost: { total: sumOf(judgeCosts), unknown: results - judgeCosts.length },
    };
  }

  #scoreFigures(score: string, values: Float64Array): ScoreFigures {
    const columns = this.#shape.columns.map((column, number) => ({
      column,
      mean: this.#meanOfCases(values, number),
      ...counts(this.#ofColumn(values, number)),
    }));
    const cases = this.#baseline === -1 ? null : this.#caseScores(values);
    const comparison = cases && compareScores(cases as readonly Required<CaseScores>[]);
    return { score, columns, comparison };
  }

  /** Every case counts the same, however many of its trials have a value. */
  #meanOfCases(values: Float64Array, column: number): number | null {
    const means: number[] = [];
    for (let index = 0; index < this.#shape.cases; index++) {
      const mean = meanOfCase(this.#ofCase(values, column, index));
      if (mean !== null) means.push(mean);
    }
    return meanOf(Float64Array.from(means));
  }

  #at(column: number, index: number): number {
    return (column * this.#shape.cases + index) * this.#shape.trials;
  }

  #ofColumn<Values extends Float64Array | Uint8Array>(values: Values, column: number): Values {
    return values.subarray(this.#at(column, 0), this.#at(column + 1, 0)) as Values;
  }

  #ofCase<Values extends Float64Array | Uint8Array>(
    values: Values,
    column: number,
    index: number,
  ): Values {
    const at = this.#at(column, index);
    return values.subarray(at, at + this.#shape.trials) as Values;
  }
}

function encoded(outcome: ScoreOutcome | undefined): number {
  if (typeof outcome === "number") return outcome;
  return outcome === "skipped" ? SKIPPED : FAILED;
}

/** An item without a result has no value either. */
function decoded(value: number): ScoreOutcome {
  if (value >= 0) return value;
  return value === SKIPPED ? "skipped" : "failed";
}

function counts(values: Float64Array): Omit<ScoreCounts, "mean"> {
  let ok = 0;
  for (const value of values) if (value >= 0) ok += 1;
  return { ok, skipped: countOf(values, SKIPPED), failed: countOf(values, FAILED) };
}

function countOf(values: Float64Array | Uint8Array, wanted: number): number {
  let count = 0;
  for (const value of values) if (value === wanted) count += 1;
  return count;
}

function known(value: number): number | undefined {
  return Number.isNaN(value) ? undefined : value;
}

function knownOf(values: Float64Array): Float64Array {
  return values.filter((value) => !Number.isNaN(value));
}

function sumOf(values: Float64Array): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
}

function meanOf(values: Float64Array): number | null {
  return values.length === 0 ? null : sumOf(values) / values.length;
}

function meanOfCase(values: Float64Array): number | null {
  return meanOfValues(Array.from(values, decoded)) ?? null;
}

/** The nearest rank of a percentile in sorted values, of which there is one at least. */
function rank(sorted: Float64Array, percent: number): number {
  return sorted[Math.ceil((percent * sorted.length) / 100) - 1] ?? Number.NaN;
}
