import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useId, useMemo } from "react";
import { type GroupedAnalytics, scoresQuery } from "../api/analytics.ts";
import { usePlatform } from "../api/platform-context.tsx";
import { Select } from "../design/field.tsx";
import type { ChartPlan } from "./chart-plan.ts";
import type { DashboardFilters, Split } from "./dashboard-search.ts";
import { chosenScore, planScoreChart, scoreSummary, withoutBuckets } from "./score-plan.ts";
import type { ShownGroup } from "./shown-groups.ts";

interface ScoreChartOptions {
  /** The calls, whose buckets the scores are counted in. */
  readonly analytics: GroupedAnalytics;
  readonly groups: readonly ShownGroup[];
  readonly split: Split | null;
  readonly filters: DashboardFilters;
  /** The name of the score; undefined for that with most scores. */
  readonly name: string | undefined;
  readonly onName: (name: string) => void;
}

const REFRESH_MS = 10_000;

/** The chart of the mean of a score over time; null while no call has scores. */
export function useScoreChart(options: ScoreChartOptions) {
  const { analytics, groups, split, filters, name, onName } = options;
  const { from, to, interval, groupedBy } = analytics;
  const bucketCount = analytics.buckets.length;
  const { data: scores } = useQuery({
    ...scoresQuery(usePlatform(), {
      from,
      to,
      interval,
      buckets: bucketCount,
      filters,
      groupBy: groupedBy,
    }),
    refetchInterval: REFRESH_MS,
  });
  return useMemo((): { readonly plan: ChartPlan; readonly aside: ReactNode } | null => {
    const score = scores === undefined ? null : chosenScore(scores, name);
    if (scores === undefined || score === null) return null;
    const isSame = scores.from === from && scores.to === to && scores.groupedBy === groupedBy;
    return {
      // While another range is being asked for, the chart stays, with the focus, and is empty.
      plan: isSame
        ? planScoreChart(scores, score, groups, split)
        : planScoreChart({ from, to, bucketCount }, withoutBuckets(score), groups, split),
      aside: (
        <ScoreChoice
          names={scores.names.map((each) => each.name)}
          chosen={score.name}
          summary={scoreSummary(score)}
          onChoose={onName}
        />
      ),
    };
  }, [scores, from, to, bucketCount, groupedBy, groups, split, name, onName]);
}

interface ScoreChoiceProps {
  readonly names: readonly string[];
  readonly chosen: string;
  readonly summary: string;
  readonly onChoose: (name: string) => void;
}

function ScoreChoice({ names, chosen, summary, onChoose }: ScoreChoiceProps) {
  const id = useId();
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
      <p className="text-[0.93rem] text-ink-soft tabular-nums">{summary}</p>
      {names.length > 1 && (
        <>
          <label htmlFor={id} className="sr-only">
            Score
          </label>
          <Select id={id} value={chosen} onChange={(event) => onChoose(event.target.value)}>
            {names.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </Select>
        </>
      )}
    </div>
  );
}
