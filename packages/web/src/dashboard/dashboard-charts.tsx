import type { Analytics } from "@agate/protocol";
import { type ReactNode, useMemo, useState } from "react";
import type { ChartCursor } from "../charts/chart-cursor.ts";
import { sumAt } from "../charts/chart-series.ts";
import { SeriesSwatch } from "../charts/series-swatch.tsx";
import { bucketOf, type TimeBuckets, type TimeSpan } from "../charts/time-buckets.ts";
import { TimeChart } from "../charts/time-chart.tsx";
import { classNames } from "../design/class-names.ts";
import { Choice } from "../design/field.tsx";
import { tickText } from "../format/tick-text.ts";
import {
  type ChartPlan,
  chartTicks,
  planCharts,
  type TraceFilters,
  tracesBehind,
} from "./chart-plan.ts";
import { PERCENTILES, type Percentile, type Split } from "./dashboard-search.ts";
import type { ShownGroup } from "./shown-groups.ts";

interface DashboardChartsProps {
  readonly analytics: Analytics;
  readonly groups: readonly ShownGroup[];
  readonly split: Split | null;
  readonly percentile: Percentile;
  readonly onPercentile: (percentile: Percentile) => void;
  readonly emphasis: ShownGroup | null;
  readonly onZoom: (span: TimeSpan) => void;
  readonly onOpen: (filters: TraceFilters) => void;
  /** The chart of a score, and what stands beside its title. */
  readonly score: { readonly plan: ChartPlan; readonly aside: ReactNode } | null;
  /** The table of the groups, below the first chart. */
  readonly children: ReactNode;
}

/** All charts, with a shared cursor and zoom. */
export function DashboardCharts(props: DashboardChartsProps) {
  const { analytics, groups, split, percentile, emphasis, onZoom, onOpen } = props;
  const [cursor, setCursor] = useState<ChartCursor | null>(null);
  const buckets = useMemo(() => bucketsOf(analytics), [analytics]);
  const plans = useMemo(
    () => planCharts(analytics, groups, { split, percentile }),
    [analytics, groups, split, percentile],
  );
  const isSplit = groups.length > 1;
  const position = emphasis === null ? -1 : groups.findIndex(({ id }) => id === emphasis.id);
  const chartOf = (plan: ChartPlan, aside: ReactNode) => (
    <DashboardChart
      key={plan.name}
      plan={plan}
      buckets={buckets}
      isSplit={isSplit}
      emphasis={position === -1 ? null : position}
      cursor={cursor}
      onCursor={setCursor}
      onZoom={onZoom}
      onOpen={(index, series) => onOpen(tracesBehind(plan, buckets, index, series))}
      aside={aside}
    />
  );
  const percentiles = isSplit && (
    <Choice
      label="Percentile"
      options={PERCENTILES.map((each) => ({ value: each, label: each }))}
      value={percentile}
      onChange={props.onPercentile}
    />
  );
  const charts = plans.map((plan) => chartOf(plan, plan.name === "latency" && percentiles));
  return (
    <>
      {charts[0]}
      {props.children}
      <div className="grid gap-3 lg:grid-cols-2">{charts.slice(1)}</div>
      {props.score && chartOf(props.score.plan, props.score.aside)}
    </>
  );
}

interface DashboardChartProps {
  readonly plan: ChartPlan;
  readonly buckets: TimeBuckets;
  readonly isSplit: boolean;
  readonly emphasis: number | null;
  readonly cursor: ChartCursor | null;
  readonly onCursor: (cursor: ChartCursor | null) => void;
  readonly onZoom: (span: TimeSpan) => void;
  readonly onOpen: (index: number, series: number | null) => void;
  readonly aside: ReactNode;
}

function DashboardChart({ plan, buckets, isSplit, aside, ...rest }: DashboardChartProps) {
  const { kind, series, format, formatUnit, part } = plan;
  const chart = useMemo(
    () => ({ kind, series, buckets, format: formatUnit, part }),
    [kind, series, buckets, formatUnit, part],
  );
  const ticks = useMemo(() => chartTicks(plan), [plan]);
  const formatTick = useMemo(
    () => (value: number) => (value === 0 ? "0" : tickText(format(value))),
    [format],
  );
  const index = rest.cursor === null ? null : bucketOf(buckets, rest.cursor.time);
  return (
    <TimeChart
      {...rest}
      name={plan.name}
      title={plan.title}
      chart={chart}
      ticks={ticks}
      formatTick={formatTick}
      usualSeries={plan.usualSeries}
      legend={
        <div className={classNames("flex items-center gap-3", isSplit && "min-h-7")}>
          <ChartLegend plan={plan} index={index} isSplit={isSplit} />
          {aside}
        </div>
      }
    />
  );
}

function bucketsOf({ from, to, buckets }: Analytics): TimeBuckets {
  const start = Date.parse(from);
  return {
    from: start,
    width: (Date.parse(to) - start) / buckets.length,
    count: buckets.length,
  };
}

interface ChartLegendProps {
  readonly plan: ChartPlan;
  /** The bucket at the cursor; null without a cursor. */
  readonly index: number | null;
  /** Split charts have the table of the groups as their legend. */
  readonly isSplit: boolean;
}

/** The series, with their values at the cursor. */
function ChartLegend({ plan, index, isSplit }: ChartLegendProps) {
  const { series, kind, format } = plan;
  const part = index === null ? null : (plan.part?.(index, null) ?? null);
  if (isSplit || series.length === 1) {
    if (kind === "lines" || index === null) return null;
    const values = series.map((each) => each.values);
    return (
      <p className="font-medium tabular-nums">
        {format(sumAt(values, index))}
        <Part of={part} />
      </p>
    );
  }
  return (
    <ul className="flex flex-wrap gap-x-4 gap-y-1 text-[0.93rem]">
      {series.map(({ id, label, paint, values }) => (
        <li key={id} className="flex items-center gap-1.5">
          <SeriesSwatch paint={paint} kind={kind} />
          <span className="text-ink-soft">{label}</span>
          {index !== null && (
            <span className="font-medium tabular-nums">{format(values[index] ?? null)}</span>
          )}
        </li>
      ))}
      {part !== null && (
        <li>
          <Part of={part} />
        </li>
      )}
    </ul>
  );
}

/** The calls that a value is of, where it is not of all. */
function Part({ of }: { readonly of: string | null }) {
  return of !== null && <span className="font-normal text-ink-soft"> for {of}</span>;
}
