import { describe, expect, it } from "vitest";
import type { GateVerdict, RunGates } from "../statistics/index.ts";
import { formatDifference, formatInterval, gateSentences } from "./gate-sentences.ts";
import type { ColumnFigures } from "./run.ts";

const candidate: ColumnFigures = {
  column: "new",
  results: 8,
  errors: 2,
  missing: 0,
  latency_ms: { mean: 900, p50: 800, p95: 1500 },
  cost: { total: 0.08, mean: 0.01, unknown: 0 },
  judge_cost: { total: 0, unknown: 0 },
};

const gate: RunGates = {
  scores: { right: { min: 0.8, notWorseBy: 0.05 } },
  cost: { mean: 0.02 },
  latency: { p95: 2000 },
  errors: { share: 0.125 },
};

function sentence(verdict: GateVerdict, column: Partial<ColumnFigures> = {}): string {
  const figures = { columns: [{ ...candidate, ...column }], scores: [] };
  const [only] = gateSentences({ gates: [verdict], gate, figures });
  return `${only?.subject}: ${only?.bound}: ${only?.finding}`;
}

const interval = { cases: 40, mean: -0.02, low: -0.07, high: 0.03, deviation: 0.1 };
const comparison = { observed: interval, worst: interval, missing: 0, leftOut: 0 };
const notWorse = { gate: "notWorseBy", score: "right", verdict: "undecided" } as const;

describe("the sentence of a gate", () => {
  it.each<[GateVerdict, string]>([
    [
      {
        gate: "min",
        score: "right",
        verdict: "passed",
        mean: { observed: 0.9, worst: 0.9, missing: 0 },
      },
      "right: mean of at least 0.8: 0.900",
    ],
    [
      {
        gate: "min",
        score: "right",
        verdict: "undecided",
        mean: { observed: 0.9, worst: 0.7, missing: 1 },
      },
      "right: mean of at least 0.8: 0.900, but 1 value is missing",
    ],
    [
      {
        gate: "min",
        score: "right",
        verdict: "unscored",
        mean: { observed: undefined, worst: 0, missing: 8 },
      },
      "right: mean of at least 0.8: no case has this score",
    ],
    [
      { ...notWorse, comparison, moreCases: 60 },
      "right: not worse by 0.05: −0.020 [−0.070, +0.030]; about 60 more cases would decide it",
    ],
    [
      { ...notWorse, comparison: { ...comparison, missing: 3 }, moreCases: undefined },
      "right: not worse by 0.05: −0.020 [−0.070, +0.030], but 3 values are missing",
    ],
    [
      { ...notWorse, verdict: "unscored", comparison: undefined, moreCases: undefined },
      "right: not worse by 0.05: there is no baseline",
    ],
    [
      { gate: "cost", verdict: "undecided" },
      "cost: mean of at most $0.020 a call: $0.010, but 2 calls failed",
    ],
    [{ gate: "latency", verdict: "passed" }, "latency: p95 of at most 2.00 s: 1.50 s"],
    [{ gate: "errors", verdict: "failed" }, "errors: at most 12.5 % of calls fail: 2 of 8"],
  ])("%o", (verdict, text) => {
    expect(sentence(verdict)).toBe(text);
  });

  it("names what is unknown, never a 0 in its place", () => {
    const cost = { total: 0, mean: null, unknown: 8 };
    expect(sentence({ gate: "cost", verdict: "unscored" }, { cost })).toContain(
      "no call has a known cost",
    );
    expect(sentence({ gate: "latency", verdict: "unscored" }, { latency_ms: null })).toContain(
      "no call succeeded",
    );
  });
});

it("writes differences with their sign, and none for 0", () => {
  expect([-0.0281, 0.0281, 0.0004, -0.0004].map(formatDifference)).toEqual([
    "−0.028",
    "+0.028",
    "0.000",
    "0.000",
  ]);
  expect(formatInterval({ low: -0.07, high: 0.01 })).toBe("[−0.070, +0.010]");
});
