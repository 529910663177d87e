/**
 * What a gate says. `unscored`: there is no value to judge, so the gate could not be evaluated; it
 * must never count as passed.
 */
export type Verdict = "passed" | "failed" | "undecided" | "unscored";

/** From what decides first: a gate that failed is a finding even if another has no scores. */
const BY_WEIGHT = ["failed", "unscored", "undecided"] as const satisfies readonly Verdict[];

/**
 * The verdict over all gates: passed if each of them is. As all must pass, several gates make a false
 * pass rarer, never more frequent, so there is no correction for their number.
 *
 * Without a gate there is nothing to pass: `undefined`.
 */
export function overallVerdict(verdicts: readonly Verdict[]): Verdict | undefined {
  if (verdicts.length === 0) return undefined;
  return BY_WEIGHT.find((verdict) => verdicts.includes(verdict)) ?? "passed";
}

/**
 * The verdict on observed values, unless missing values could undo it: a pass holds only if it also
 * holds with each of them at its worst for the candidate. A failure stays one.
 */
export function withMissing(observed: Verdict, worst: () => Verdict): Verdict {
  return observed === "passed" && worst() !== "passed" ? "undecided" : observed;
}
