import { smallestMargin } from "@agate/protocol/statistics";
import { expect, test } from "vitest";
import { labels } from "./evaluation.fixture.ts";
import { caseSource, marginNotes, planText } from "./run-plan.ts";

test.each([
  [[{}, {}], { kind: "inline", cases: 2 }],
  ["./cases.jsonl", { kind: "file", path: "./cases.jsonl" }],
  ["cases.csv", { kind: "file", path: "cases.csv" }],
  ["golden", { kind: "testset", slug: "golden", revision: null }],
  ["golden@latest", { kind: "testset", slug: "golden", revision: null }],
  ["golden@3", { kind: "testset", slug: "golden", revision: 3 }],
] as const)("The cases of %o are %o", (testset, source) => {
  expect(caseSource(testset)).toEqual(source);
});

const ONE = { called: 1, stored: 0 };
const TWO = { called: 2, stored: 0 };

test.each([
  [{ cases: 12, trials: 3, columns: TWO }, "12 cases × 3 trials × 2 columns = 72 calls"],
  [{ cases: 12, trials: 1, columns: TWO }, "12 cases × 2 columns = 24 calls"],
  [{ cases: 1, trials: 1, columns: ONE }, "1 call"],
  [
    { cases: 12, trials: 3, columns: { called: 1, stored: 1 } },
    "12 cases × 3 trials = 36 calls. Stored outputs are scored again.",
  ],
  [
    { cases: 12, trials: 3, columns: { called: 0, stored: 2 } },
    "0 calls. Stored outputs are scored again.",
  ],
  [{ cases: null, trials: 3, columns: ONE }, null],
  [{ cases: 12, trials: undefined, columns: ONE }, null],
] as const)("A run of %o is planned as %s", (run, text) => {
  expect(planText(run)).toBe(text);
});

test("A gate that so few cases cannot pass is named before the run", () => {
  const enough = 200;
  expect(smallestMargin(enough)).toBeLessThan(0.05);
  expect(marginNotes(labels.gate, enough, true)).toEqual([
    `200 cases can show a margin of ${smallestMargin(enough).toFixed(3)} at best.`,
  ]);
  expect(smallestMargin(3)).toBeGreaterThan(0.05);
  expect(marginNotes(labels.gate, 3, true)).toEqual([
    expect.stringMatching(/^3 cases can show a margin of [\d.]+ at best\.$/),
    "The gate on right, not worse by 0.05, needs more cases to pass.",
  ]);
});

test("A gate that compares needs a baseline; others need none, and no number of cases", () => {
  expect(marginNotes(labels.gate, 3, false)).toEqual([
    "The gate on right compares. Choose a baseline, or it cannot be judged.",
  ]);
  expect(marginNotes({ scores: { right: { min: 1 } } }, 3, false)).toEqual([]);
  expect(marginNotes(null, 3, true)).toEqual([]);
  expect(marginNotes(labels.gate, null, true)).toEqual([]);
});
