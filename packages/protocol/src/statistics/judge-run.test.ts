import { expect, it } from "vitest";
import { judgeRun, type RunFindings, type RunGates } from "./judge-run.ts";
import type { CaseScores, ScoreOutcome } from "./score-outcome.ts";

const cases = (count: number, candidate: ScoreOutcome, baseline?: ScoreOutcome): CaseScores[] =>
  Array.from({ length: count }, () => ({
    candidate: [candidate],
    ...(baseline !== undefined && { baseline: [baseline] }),
  }));

const CALLS = { costs: [0.01, 0.01], latencies: [100, 200], errors: 0, calls: 2 };
const findings = (scores: RunFindings["scores"], calls = {}): RunFindings => ({
  scores,
  calls: { ...CALLS, ...calls },
});

const verdictOf = (gates: RunGates, found: RunFindings) => judgeRun(gates, found).verdict;

it("has no verdict without a gate", () => {
  expect(judgeRun({}, findings({ right: cases(5, 1) }))).toEqual({ verdict: undefined, gates: [] });
});

it("judges every gate, and passes if all do", () => {
  const gates = {
    scores: { right: { min: 0.9, notWorseBy: 0.05 }, safe: { min: 1 } },
    cost: { mean: 0.02 },
    latency: { p95: 200 },
    errors: { share: 0 },
  };
  const found = findings({
    right: cases(100, 1, 1),
    safe: cases(100, 1, 1),
    ungated: cases(100, 0),
  });
  const { verdict, gates: judged } = judgeRun(gates, found);
  expect(verdict).toBe("passed");
  expect(judged.map(({ gate, verdict }) => [gate, verdict])).toEqual(
    ["min", "notWorseBy", "min", "cost", "latency", "errors"].map((gate) => [gate, "passed"]),
  );
  expect(verdictOf({ ...gates, cost: { mean: 0.001 } }, found)).toBe("failed");
  expect(verdictOf({ ...gates, latency: { p95: 50 } }, found)).toBe("failed");
  expect(verdictOf(gates, { ...found, calls: { ...CALLS, errors: 1 } })).toBe("failed");
});

it("does not pass a score that there is none of", () => {
  const gates = { scores: { right: { min: 0 } } };
  expect(verdictOf(gates, findings({}))).toBe("unscored");
  expect(verdictOf(gates, findings({ right: [] }))).toBe("unscored");
  expect(verdictOf({ scores: { toString: { min: 0 } } }, findings({}))).toBe("unscored");
});

it("compares only what has a baseline in every case", () => {
  const gates = { scores: { right: { notWorseBy: 0.5 } } };
  expect(verdictOf(gates, findings({ right: cases(50, 1) }))).toBe("unscored");
  const some = [...cases(50, 1, 1), ...cases(1, 1)];
  expect(verdictOf(gates, findings({ right: some }))).toBe("unscored");
  expect(verdictOf(gates, findings({ right: cases(50, 1, 1) }))).toBe("passed");
});

it("says how many more cases would decide, unless values are missing", () => {
  const gates = { scores: { right: { notWorseBy: 0.02 } } };
  const [few] = judgeRun(gates, findings({ right: cases(20, 1, 1) })).gates;
  expect(few).toMatchObject({ verdict: "undecided", moreCases: expect.any(Number) });
  const missing = [...cases(300, 1, 1), ...cases(100, "failed", 1)];
  const [open] = judgeRun(gates, findings({ right: missing })).gates;
  expect(open).toMatchObject({ verdict: "undecided", comparison: { missing: 100 } });
  expect(open).toHaveProperty("moreCases", undefined);
  const [decided] = judgeRun(gates, findings({ right: cases(300, 1, 1) })).gates;
  expect(decided).toMatchObject({ verdict: "passed" });
  expect(decided).toHaveProperty("moreCases", undefined);
});
