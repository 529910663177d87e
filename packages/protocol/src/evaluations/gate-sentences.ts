import { formatCost, formatDuration, plural } from "../format/figures.ts";
import type { GateVerdict, RunGates } from "../statistics/judge-run.ts";
import type { Verdict } from "../statistics/verdict.ts";
import type { ColumnFigures, RunFigures } from "./run.ts";

/** A gate in words: what it bounds, and what the run found. */
export interface GateSentence {
  /** The score, or `cost`, `latency` or `errors`. */
  readonly subject: string;
  readonly bound: string;
  readonly verdict: Verdict;
  readonly finding: string;
}

/** What the verdicts of a run's gates are put into words with. */
export interface JudgedRun {
  readonly gates: readonly GateVerdict[];
  /** As it was declared. */
  readonly gate: RunGates | null;
  readonly figures: RunFigures;
}

/** A sentence for each gate of a run, in the order of their declaration. */
export function gateSentences({ gates, gate, figures }: JudgedRun): GateSentence[] {
  return gates.map((each) => ({
    subject: "score" in each ? each.score : each.gate,
    bound: boundOf(each, gate ?? {}),
    verdict: each.verdict,
    finding: findingOf(each, figures),
  }));
}

function boundOf(each: GateVerdict, gate: RunGates): string {
  switch (each.gate) {
    case "min":
      return `mean of at least ${gate.scores?.[each.score]?.min}`;
    case "notWorseBy":
      return `not worse by ${gate.scores?.[each.score]?.notWorseBy}`;
    case "cost":
      return `mean of at most ${formatCost(gate.cost?.mean ?? null)} a call`;
    case "latency":
      return `p95 of at most ${formatDuration(gate.latency?.p95 ?? null)}`;
    case "errors":
      return `at most ${percent(gate.errors?.share ?? 0)} of calls fail`;
  }
}

function findingOf(each: GateVerdict, { columns: [candidate] }: RunFigures): string {
  switch (each.gate) {
    case "min": {
      const { observed, missing } = each.mean;
      if (observed === undefined) return "no case has this score";
      const value = formatScore(observed);
      return each.verdict === "undecided" ? `${value}, but ${missingValues(missing)}` : value;
    }
    case "notWorseBy":
      return differenceFinding(each);
    case "cost": {
      const { mean = null, unknown = 0 } = candidate?.cost ?? {};
      if (mean === null) return "no call has a known cost";
      if (each.verdict !== "undecided") return formatCost(mean);
      return unknown === 0
        ? `${formatCost(mean)}, but ${failedCalls(candidate)}`
        : `${formatCost(mean)}, but the cost of ${plural(unknown, "call")} is unknown`;
    }
    case "latency": {
      if (!candidate?.latency_ms) return "no call succeeded";
      const p95 = formatDuration(candidate.latency_ms.p95);
      return each.verdict === "undecided" ? `${p95}, but ${failedCalls(candidate)}` : p95;
    }
    case "errors": {
      const { errors = 0, results = 0 } = candidate ?? {};
      return `${errors} of ${results}`;
    }
  }
}

function differenceFinding(each: Extract<GateVerdict, { gate: "notWorseBy" }>): string {
  const { comparison, moreCases, verdict } = each;
  if (comparison === undefined) return "there is no baseline";
  const { observed, missing } = comparison;
  if (observed.cases === 0) return "no case has this score in both columns";
  const shown = `${formatDifference(observed.mean)} ${formatInterval(observed)}`;
  if (verdict !== "undecided") return shown;
  if (moreCases !== undefined)
    return `${shown}; about ${plural(moreCases, "more case")} would decide it`;
  return missing > 0 ? `${shown}, but ${missingValues(missing)}` : shown;
}

function failedCalls(column: ColumnFigures | undefined): string {
  return `${plural(column?.errors ?? 0, "call")} failed`;
}

function missingValues(missing: number): string {
  return missing === 1 ? "1 value is missing" : `${missing} values are missing`;
}

/** @example formatScore(0.8234) // "0.823" */
export function formatScore(value: number | null): string {
  return value === null ? "–" : value.toFixed(3);
}

/** @example formatDifference(-0.0281) // "−0.028" */
export function formatDifference(value: number): string {
  const rounded = value.toFixed(3);
  if (Number(rounded) === 0) return "0.000";
  return rounded.startsWith("-") ? `−${rounded.slice(1)}` : `+${rounded}`;
}

/** @example formatInterval({ low: -0.07, high: 0.01 }) // "[−0.070, +0.010]" */
export function formatInterval({ low, high }: { low: number; high: number }): string {
  return `[${formatDifference(low)}, ${formatDifference(high)}]`;
}

function percent(share: number): string {
  return `${Number((share * 100).toFixed(2))} %`;
}
