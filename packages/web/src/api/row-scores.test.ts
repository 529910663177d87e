import { describe, expect, it } from "vitest";
import { MOST_ROW_SCORES, NO_ROW_SCORES, rowScores } from "./row-scores.ts";
import { scoreOf } from "./score.fixture.ts";

describe("the scores of a row", () => {
  it("are none where the span has none", () => {
    expect(rowScores(undefined)).toBe(NO_ROW_SCORES);
    expect(rowScores([])).toBe(NO_ROW_SCORES);
  });

  it("are counted by name, skipped and failed ones apart from the mean", () => {
    const scores = [
      scoreOf({ value: 1, label: "yes" }),
      scoreOf({ status: "failed", error: "No answer" }),
      scoreOf({ name: "safe", status: "skipped" }),
      scoreOf({ value: 0.5, label: "no" }),
    ];
    expect(rowScores(scores).shown).toEqual([
      { name: "helpful", count: 2, mean: 0.75, label: null, skipped: 0, failed: 1 },
      { name: "safe", count: 0, mean: null, label: null, skipped: 1, failed: 0 },
    ]);
  });

  it("have the label that all share, with or without a value", () => {
    const up = { name: "thumbs", label: "up" };
    expect(rowScores([scoreOf(up), scoreOf(up)]).shown[0]).toMatchObject({ label: "up", mean: 1 });
    const word = scoreOf({ label: "polite", value: null });
    expect(rowScores([word]).shown[0]).toMatchObject({ label: "polite", mean: null, count: 1 });
  });

  it("have at most ten names, and count the others", () => {
    const named = (count: number) =>
      rowScores(Array.from({ length: count }, (_, n) => scoreOf({ name: `s${n}` })));
    expect(named(MOST_ROW_SCORES)).toMatchObject({ leftOut: 0 });
    expect(named(MOST_ROW_SCORES + 1)).toMatchObject({ leftOut: 1 });
    expect(named(MOST_ROW_SCORES + 1).shown).toHaveLength(MOST_ROW_SCORES);
  });
});
