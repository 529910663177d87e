import { describe, expect, it } from "vitest";
import { boundCost, boundErrors, boundLatency, boundScore, meanScore } from "./bounds.ts";
import type { CaseScores } from "./score-outcome.ts";
import { overallVerdict, type Verdict } from "./verdict.ts";

const min = (bound: number, cases: CaseScores[]) => boundScore(bound, meanScore(cases));

describe("a gate min", () => {
  it("bounds the mean of the cases, each counting once", () => {
    const cases = [{ candidate: [1, 1, 1, 1] }, { candidate: [0] }];
    expect(meanScore(cases).observed).toBe(0.5);
    expect(min(0.5, cases)).toBe("passed");
    expect(min(0.51, cases)).toBe("failed");
  });

  it("is not missed by a rounding", () => {
    const cases = Array.from({ length: 10 }, () => ({ candidate: [0.8] }));
    expect(meanScore(cases).observed).toBeLessThan(0.8);
    expect(min(0.8, cases)).toBe("passed");
    expect(min(0.8001, cases)).toBe("failed");
  });

  it("keeps a pass only if it holds with 0 for each missing value", () => {
    const good = Array.from({ length: 9 }, () => ({ candidate: [1] }));
    const failed: CaseScores = { candidate: ["failed"] };
    expect(min(0.9, [...good, failed])).toBe("passed");
    expect(min(0.91, [...good, failed])).toBe("undecided");
    expect(min(0.91, [...good, { candidate: [0] }])).toBe("failed");
  });

  it("counts a skip as missing unless it is in every column", () => {
    const good: CaseScores = { candidate: [1], baseline: [1] };
    expect(min(1, [good, { candidate: ["skipped"], baseline: ["skipped"] }])).toBe("passed");
    expect(min(1, [good, { candidate: ["skipped"] }])).toBe("passed");
    expect(min(1, [good, { candidate: ["skipped"], baseline: [1] }])).toBe("undecided");
  });

  it("has no verdict without a value", () => {
    expect(min(0, [])).toBe("unscored");
    expect(min(0, [{ candidate: ["failed"] }])).toBe("unscored");
  });
});

describe("gates on calls", () => {
  it("bound the mean cost, which an unknown one leaves open", () => {
    expect(boundCost(0.02, { costs: [0.01, 0.03] })).toBe("passed");
    expect(boundCost(0.02, { costs: [0.01, 0.031] })).toBe("failed");
    expect(boundCost(0.1, { costs: Array(10).fill(0.1) })).toBe("passed");
    expect(boundCost(0.02, { costs: [0.01, undefined] })).toBe("undecided");
    expect(boundCost(0.02, { costs: [0.05, undefined] })).toBe("failed");
    expect(boundCost(0.02, { costs: [undefined] })).toBe("unscored");
  });

  it("bound the 95th percentile, calls without a latency among the slowest", () => {
    const fast = Array<number | undefined>(95).fill(100);
    const slow = Array<number | undefined>(5).fill(900);
    expect(boundLatency(100, { latencies: [...fast, ...slow] })).toBe("passed");
    expect(boundLatency(99, { latencies: [...fast, ...slow] })).toBe("failed");
    expect(boundLatency(100, { latencies: [...fast, ...slow, 900] })).toBe("failed");
    const unknown = Array<undefined>(5).fill(undefined);
    expect(boundLatency(100, { latencies: [...fast, ...unknown] })).toBe("passed");
    expect(boundLatency(100, { latencies: [...fast, ...unknown, undefined] })).toBe("undecided");
    expect(boundLatency(100, { latencies: unknown })).toBe("unscored");
  });

  it("bound the share of errors", () => {
    expect(boundErrors(0, { errors: 0, calls: 3 })).toBe("passed");
    expect(boundErrors(0, { errors: 1, calls: 3 })).toBe("failed");
    expect(boundErrors(1 / 3, { errors: 1, calls: 3 })).toBe("passed");
    expect(boundErrors(1, { errors: 0, calls: 0 })).toBe("unscored");
  });

  it("is undecided where calls that were not made could undo a pass", () => {
    expect(boundErrors(0, { errors: 0, calls: 3, missing: 1 })).toBe("undecided");
    expect(boundErrors(0.25, { errors: 0, calls: 3, missing: 1 })).toBe("passed");
    expect(boundErrors(0, { errors: 1, calls: 3, missing: 1 })).toBe("failed");
  });
});

it.each<[Verdict[], Verdict | undefined]>([
  [[], undefined],
  [["passed", "passed"], "passed"],
  [["passed", "undecided"], "undecided"],
  [["undecided", "unscored"], "unscored"],
  [["unscored", "undecided", "failed", "passed"], "failed"],
])("takes %j together as %s", (verdicts, expected) => {
  expect(overallVerdict(verdicts)).toBe(expected);
});
