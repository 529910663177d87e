import type { Run, RunResult } from "@agate/protocol";
import { describe, expect, it, test } from "vitest";
import {
  candidateMeans,
  columnText,
  costText,
  countsText,
  outcomeText,
  outputText,
  partCostText,
  progressText,
  testsetText,
  trialsOf,
  waitText,
} from "./run-text.ts";

it("says of a run that no server has begun what it waits for", () => {
  const waiting = { status: "running", runner: "platform", cases: 0 } as const;
  expect(waitText(waiting)).toContain("room");
  expect(waitText({ ...waiting, cases: 1 })).toBeNull();
  expect(waitText({ ...waiting, status: "failed" })).toBeNull();
  expect(waitText({ ...waiting, runner: "client" })).toBeNull();
});

describe("what has become of a run", () => {
  const judged = (verdict: "passed" | "unscored" | undefined): Run["verdict"] => ({
    verdict,
    gates: [],
  });
  it.each([
    ["running", null, "Running"],
    ["stopped", null, "Stopped"],
    ["failed", null, "Could not run"],
    ["finished", judged("passed"), "Passed"],
    ["finished", judged("unscored"), "Not judged"],
    ["finished", judged(undefined), "No gate"],
  ] as const)("%s with %o is %s", (status, verdict, text) => {
    expect(outcomeText({ status, verdict }).text).toBe(text);
  });

  it("is green only for a pass", () => {
    const tone = (verdict: Run["verdict"]) => outcomeText({ status: "finished", verdict }).tone;
    expect(tone(judged("passed"))).toBe("success");
    expect(tone(judged("unscored"))).toBe("warning");
    expect(tone(judged(undefined))).toBe("neutral");
  });
});

test.each([
  [{ results: 50, items: 400, errors: 2 }, "50 of 400 calls, 2 failed"],
  [{ results: 400, items: 400, errors: 0 }, "400 calls"],
  [{ results: 1, items: 1, errors: 1 }, "1 call, 1 failed"],
])("the progress of %o is %s", (run, text) => {
  expect(progressText(run)).toBe(text);
});

test.each([
  [0.12, 0, 0.03, 0, "$0.15"],
  [0.12, 1, 0.03, 0, "at least $0.15"],
  [0.12, 0, 0, 1, "at least $0.12"],
  [0, 1, 0, 0, "cost unknown"],
  [0, 0, 0, 1, "cost unknown"],
  [0, 0, 0, 0, "$0"],
])("calls of $%s, %s unknown, and judges of $%s, %s unknown, cost %s", (...figures) => {
  const [calls, unknown_calls, judges, unknown_judges, text] = figures;
  expect(costText({ calls, unknown_calls, judges, unknown_judges })).toBe(text);
});

test.each([
  [{ total: 0.5, unknown: 0 }, "$0.50"],
  [{ total: 0.5, unknown: 2 }, "$0.50, 2 unknown"],
  [{ total: 0, unknown: 6 }, "6 unknown"],
])("%o is %s", (cost, text) => {
  expect(partCostText(cost)).toBe(text);
});

describe("a score", () => {
  it("without a value is not 0", () => {
    expect(countsText({ mean: null, skipped: 0, failed: 2 })).toBe("–, 2 failed");
    expect(countsText({ mean: 0, skipped: 1, failed: 0 })).toBe("0.000, 1 skipped");
    const none = { column: "new", mean: null, ok: 0, skipped: 0, failed: 1 };
    expect(candidateMeans([{ score: "right", columns: [none], comparison: null }])).toEqual([
      { score: "right", text: "–" },
    ]);
  });
});

describe("the name of", () => {
  const column = { name: "new", ref: "env:production", build: null, variant: null, revision: null };
  it.each([
    [column, "env:production"],
    [{ ...column, variant: "default", revision: 9 }, "env:production · default@9"],
    [{ ...column, ref: "default@9", variant: "default", revision: 9 }, "default@9"],
    [{ ...column, build: { id: "b", number: 4 } }, "env:production · build 4"],
  ])("a column %o is %s", (each, text) => {
    expect(columnText(each)).toBe(text);
  });

  it.each([
    [{ kind: "testset", name: "golden", revision: 3, hash: null }, "golden, revision 3"],
    [{ kind: "file", name: "cases.jsonl", revision: null, hash: "1" }, "cases.jsonl"],
    [{ kind: "inline", name: null, revision: null, hash: null }, "cases of the evaluation"],
  ] as const)("the cases %o is %s", (testset, text) => {
    expect(testsetText(testset)).toBe(text);
  });
});

it("shows results trial by trial, each in the order of the columns", () => {
  const result = (column: string, trial: number) => ({ column, trial }) as RunResult;
  const results = [
    result("baseline", 1),
    result("baseline", 0),
    result("new", 0),
    result("new", 1),
  ];
  const trials = trialsOf(results, [{ name: "new" }, { name: "baseline" }]);
  expect(trials).toEqual([
    { trial: 0, results: [result("new", 0), result("baseline", 0)] },
    { trial: 1, results: [result("new", 1), result("baseline", 1)] },
  ]);
});

it("compares a text as it is, and anything else as JSON", () => {
  expect(outputText({ output: "a" })).toBe("a");
  expect(outputText({ output: { a: null } })).toBe('{\n  "a": null\n}');
});
