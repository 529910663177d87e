import type { NamedScoreAnalytics, ScoreAnalyticsFigures } from "@agate/protocol";
import { describe, expect, it } from "vitest";
import type { BucketedScores } from "../api/analytics.ts";
import { analytics, group } from "./analytics.fixture.ts";
import { chartTicks } from "./chart-plan.ts";
import { chosenScore, planScoreChart, scoreSummary } from "./score-plan.ts";
import { shownGroups } from "./shown-groups.ts";

const figures = (given: Partial<ScoreAnalyticsFigures>): ScoreAnalyticsFigures => ({
  count: 1,
  skipped: 0,
  failed: 0,
  with_value: 1,
  mean: null,
  ...given,
});
const at = (hour: string, mean: number | null) => ({
  start: `2026-11-15T${hour}:00:00.000Z`,
  ...figures({ mean }),
});
const named = (name: string, more: Partial<NamedScoreAnalytics> = {}): NamedScoreAnalytics => ({
  name,
  labels: [],
  buckets: [],
  ...figures({}),
  ...more,
});
const scores = (...names: readonly NamedScoreAnalytics[]): BucketedScores => ({
  from: "2026-11-15T08:00:00.000Z",
  to: "2026-11-15T12:00:00.000Z",
  interval: "1h",
  names,
  names_left_out: 0,
  bucketCount: 4,
  groupedBy: "application",
});

describe("the chart of a score", () => {
  it("shows the one asked for, else that with most scores", () => {
    const answer = scores(named("helpful"), named("safe"));
    expect(chosenScore(answer, "safe")?.name).toBe("safe");
    expect(chosenScore(answer, "gone")?.name).toBe("helpful");
    expect(chosenScore(scores(), "safe")).toBeNull();
  });

  it("has gaps where there is no mean, and finds the traces that have the score", () => {
    const score = named("helpful", {
      buckets: [at("08", 0), at("10", 0.5), at("11", null)],
    });
    const chart = planScoreChart(scores(score), score, [], null);
    expect(chart.series.map(({ label, values, filters }) => [label, values, filters])).toEqual([
      ["Mean", [0, null, 0.5, null], { score: "helpful:any" }],
    ]);
  });

  it("has a line for each group, in its colour, those without scores too", () => {
    const hours = [{ count: 1 }, {}, {}, {}];
    const groups = shownGroups(
      analytics({ count: 4 }, hours, {
        groups: [group("shop", { count: 1 }, hours), group(null, { count: 1 }, hours)],
        groups_left_out: 2,
      }),
    );
    const more = { key: "more", ...figures({}), buckets: [at("09", 0.1)] };
    const score = named("helpful", {
      groups: [
        { key: null, ...figures({}), buckets: [at("08", 1)] },
        { key: "shop", ...figures({}), buckets: [at("09", -0.25)] },
        more,
      ],
    });
    const chart = planScoreChart(scores(score), score, groups, "application");
    expect(chart.series.map(({ values }) => values)).toEqual([
      [null, -0.25, null, null],
      [1, null, null, null],
      [null, null, null, null],
    ]);
    expect(chart.series.map(({ paint }) => paint)).toEqual(groups.map(({ paint }) => paint));
    expect(chart.series.map(({ filters }) => filters)).toEqual([
      { score: "helpful:any", application: "shop" },
      { score: "helpful:any" },
      { score: "helpful:any" },
    ]);
    expect(chartTicks(chart)).toEqual([-0.5, 0, 0.5, 1]);
  });

  it.each([
    [{ count: 24, with_value: 24, mean: 0.75 }, "Mean 0.75 of 24"],
    [
      { count: 1030, with_value: 1000, mean: 0, skipped: 3, failed: 1 },
      "Mean 0 of 1,000 · 30 without a value · 3 skipped · 1 failed",
    ],
    [{ count: 2, with_value: 0 }, "2 scores"],
    [{ count: 0, with_value: 0, failed: 2 }, "0 scores · 2 failed"],
  ])("sums up %o as %s", (given, text) => {
    expect(scoreSummary(named("helpful", given))).toBe(text);
  });
});
