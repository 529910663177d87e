import { describe, expect, it } from "vitest";
import { smallestMargin } from "./case-counts.ts";
import { compareScores, notWorseBy } from "./compare-scores.ts";
import type { CaseScores, ScoreOutcome } from "./score-outcome.ts";
import {
  exactFalsePasses,
  POPULATIONS,
  type Population,
  seeded,
  simulateRun,
  simulateVerdicts,
} from "./simulated-runs.fixture.ts";

const NAMES = Object.keys(POPULATIONS) as (keyof typeof POPULATIONS)[];

/** `count` cases with these outcomes. */
const cases = (count: number, candidate: ScoreOutcome[], baseline: ScoreOutcome[]) =>
  Array.from({ length: count }, () => ({ candidate, baseline }));
const verdictOf = (margin: number, scores: Required<CaseScores>[]) =>
  notWorseBy(margin, compareScores(scores));

describe("a gate notWorseBy, in simulated runs (all of them: npm run test:long)", () => {
  it("passes a candidate that is rarely wrong in 7 of 100 runs at most, by exact count", () => {
    for (const count of [10, 11, 15, 25, 50, 100]) {
      for (let margin = smallestMargin(count) * 1.001; margin < 0.6; margin *= 1.07) {
        expect(exactFalsePasses(count, margin), `${count} cases, ${margin}`).toBeLessThan(0.07);
      }
    }
    // At the smallest margin that can be shown, one run in 16: the bound is not idle.
    expect(exactFalsePasses(100, smallestMargin(100) * 1.001)).toBeGreaterThan(0.055);
  });

  it("passes as often in simulation as by exact count", () => {
    const run = { population: POPULATIONS.rare, cases: 50, trials: 1, loss: 0.1, margins: [0.1] };
    const [share] = simulateVerdicts({ ...run, runs: 1000 }, seeded(1));
    expect(share?.passed).toBeCloseTo(exactFalsePasses(50, 0.1), 1.5);
  });

  it.each(NAMES)("rarely passes %s scores that are worse by the margin", (name) => {
    const population: Population = POPULATIONS[name];
    for (const count of [10, 40, 120]) {
      const loss = 2 * smallestMargin(count);
      const run = { population, cases: count, trials: 2, loss, margins: [loss], runs: 200 };
      const [share] = simulateVerdicts(run, seeded(count));
      expect(share?.passed, `${count} cases`).toBeLessThanOrEqual(0.07);
    }
  });

  it.each(NAMES)("rarely fails a candidate with %s scores that is as good", (name) => {
    const run = { population: POPULATIONS[name], cases: 60, trials: 2, loss: 0, runs: 400 };
    const [strict, usual] = simulateVerdicts({ ...run, margins: [0, 0.02] }, seeded(5));
    expect(strict?.failed).toBeLessThanOrEqual(0.025);
    expect(usual?.failed).toBeLessThanOrEqual(0.025);
  });

  it("fails 80 % → 70 % over 200 cases × 3 trials, and never passes it", () => {
    const run = { population: POPULATIONS.noisy, cases: 200, trials: 3, loss: 0.1, runs: 250 };
    const [share] = simulateVerdicts({ ...run, margins: [0.02] }, seeded(3));
    expect(share?.passed).toBe(0);
    expect(share?.failed).toBeGreaterThanOrEqual(0.8);
  });

  it("never passes a candidate that skips the cases it would lose", () => {
    const random = seeded(4);
    const run = { population: POPULATIONS.nested, cases: 100, trials: 3, loss: 0.2 };
    let flattered = 0;
    for (let at = 0; at < 100; at++) {
      const scores = simulateRun(run, random).map(({ candidate, baseline }) => ({
        candidate: candidate.map((value) => (value === 0 ? ("skipped" as const) : value)),
        baseline,
      }));
      const comparison = compareScores(scores);
      if (comparison.observed.low > -0.02) flattered += 1;
      expect(notWorseBy(0.02, comparison)).not.toBe("passed");
    }
    // What it observed alone would have passed it.
    expect(flattered).toBe(100);
  });

  it("mirrors the interval when the columns are swapped", () => {
    const random = seeded(6);
    for (const name of NAMES) {
      const run = { population: POPULATIONS[name], cases: 30, trials: 3, loss: 0.1 };
      const scores = simulateRun(run, random);
      const one = compareScores(scores).observed;
      const other = compareScores(
        scores.map(({ candidate, baseline }) => ({ candidate: baseline, baseline: candidate })),
      ).observed;
      expect(other.low).toBeCloseTo(-one.high, 12);
      expect(other.high).toBeCloseTo(-one.low, 12);
      expect(other.mean).toBeCloseTo(-one.mean, 12);
    }
  });
});

describe("a gate notWorseBy", () => {
  it("does not take ten equal cases as proof", () => {
    expect(verdictOf(0.02, cases(10, [1], [1]))).toBe("undecided");
    expect(verdictOf(0.02, cases(200, [1], [1]))).toBe("passed");
  });

  it("counts cases, not trials", () => {
    const many = compareScores(cases(10, Array(1000).fill(1), Array(1000).fill(1)));
    expect(many.observed).toEqual(compareScores(cases(10, [1], [1])).observed);
  });

  it("compares means of trials, of which the columns may have different numbers", () => {
    expect(compareScores(cases(4, [1, 0, 0.5], [0.25])).observed.mean).toBeCloseTo(0.25, 12);
  });

  it("keeps a pass only if it holds with missing values at their worst", () => {
    const equal = cases(200, [1], [1]);
    expect(verdictOf(0.05, [...equal, ...cases(1, ["failed"], [1])])).toBe("passed");
    expect(verdictOf(0.05, [...equal, ...cases(20, ["failed"], [1])])).toBe("undecided");
    expect(verdictOf(0.05, [...equal, ...cases(20, ["skipped"], [1])])).toBe("undecided");
    // Missing in the baseline: it could have been right there.
    expect(verdictOf(0.05, [...equal, ...cases(20, [0.5], ["failed"])])).toBe("undecided");
    expect(verdictOf(0.05, [...equal, ...cases(20, [1], ["skipped"])])).toBe("passed");
    expect(verdictOf(0.05, [...equal, ...cases(20, [], [1])])).toBe("undecided");
  });

  it("lets missing values undo no failure", () => {
    const scores = [...cases(100, [0], [1]), ...cases(30, ["failed"], [1])];
    expect(verdictOf(0.05, scores)).toBe("failed");
    expect(compareScores(scores).missing).toBe(30);
  });

  it("leaves out what is skipped in both columns, in all trials", () => {
    const scores = cases(50, [1], [1]);
    const comparison = compareScores([...scores, ...cases(50, ["skipped"], ["skipped"])]);
    expect(comparison).toEqual({ ...compareScores(scores), leftOut: 50 });
    const partly = compareScores(cases(50, ["skipped", 1], ["skipped", 1]));
    expect(partly).toMatchObject({ leftOut: 0, missing: 100 });
    expect(partly.worst.mean).toBe(-0.5);
  });

  it("has no verdict without a value in both columns", () => {
    expect(verdictOf(0.5, [])).toBe("unscored");
    expect(verdictOf(0.5, cases(50, ["skipped"], [1]))).toBe("unscored");
    expect(verdictOf(0.5, cases(50, ["skipped"], ["skipped"]))).toBe("unscored");
  });

  it("decides by the end of the interval, exclusively", () => {
    const comparison = compareScores(cases(20, [1], [1]));
    const margin = -comparison.observed.low;
    expect(notWorseBy(margin, comparison)).toBe("undecided");
    expect(notWorseBy(margin + 1e-9, comparison)).toBe("passed");
    const worse = compareScores(cases(20, [0], [1]));
    const beyond = -worse.observed.high;
    expect(notWorseBy(beyond, worse)).toBe("undecided");
    expect(notWorseBy(beyond - 1e-9, worse)).toBe("failed");
  });

  it.each([Number.NaN, -0.01, 1.01, Infinity])("refuses the score %s", (value) => {
    expect(() => compareScores(cases(1, [value], [1]))).toThrow("from 0 to 1");
  });
});
