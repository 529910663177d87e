import { Button } from "../design/button.tsx";
import { classNames } from "../design/class-names.ts";
import { type ChartCursor, hasSomething, meantSeries } from "./chart-cursor.ts";
import type { WordedChart } from "./chart-words.ts";
import { formatTimeSpan } from "./format-time-span.ts";
import { SeriesSwatch } from "./series-swatch.tsx";
import { sumAt } from "./stack-values.ts";
import { bucketSpan } from "./time-buckets.ts";

interface ChartTooltipProps {
  readonly chart: WordedChart;
  readonly index: number;
  readonly series: number | null;
  readonly by: ChartCursor["by"];
  readonly onOpen: () => void;
}

const HOW = { mouse: "Click", keyboard: "Enter" } as const;

/** The values of a bucket, beside it. */
export function ChartTooltip({ chart, index, series, by, onOpen }: ChartTooltipProps) {
  const { buckets, format } = chart;
  const isLeft = index < buckets.count / 2;
  const edge = isLeft ? (index + 1) / buckets.count : 1 - index / buckets.count;
  const total = sumAt(
    chart.series.map(({ values }) => values),
    index,
  );
  const isAll = series !== null && meantSeries(chart, index, series) === null;
  return (
    <div
      className={classNames(
        "absolute top-1 z-20 min-w-40 max-w-64 rounded-lg border border-line bg-raised px-2.5 py-2 text-[0.93rem] shadow-xl",
        by !== "touch" && "pointer-events-none",
      )}
      style={{ [isLeft ? "left" : "right"]: `calc(min(${edge * 100}%, 100% - 11.5rem) + 0.5rem)` }}
    >
      <p className="mb-1 font-medium whitespace-nowrap tabular-nums">
        {formatTimeSpan(bucketSpan(buckets, index))}
      </p>
      <dl className="flex flex-col-reverse gap-0.5">
        {chart.series.map(({ id, label, values, paint }, position) => (
          <div
            key={id}
            className={classNames(
              "-mx-1 flex items-center gap-2 rounded px-1",
              position === series && "bg-accent-soft font-medium",
            )}
          >
            <SeriesSwatch paint={paint} kind={chart.kind} />
            <dt className="min-w-0 flex-1 truncate">{label}</dt>
            <dd className="tabular-nums">{format(values[index] ?? null)}</dd>
          </div>
        ))}
        {chart.kind === "bars" && chart.series.length > 1 && (
          <div className="flex justify-between gap-2 font-medium">
            <dt>All</dt>
            <dd className="tabular-nums">{format(total)}</dd>
          </div>
        )}
      </dl>
      {hasSomething(chart, index) &&
        (by === "touch" ? (
          <Button size="small" look="primary" className="mt-2 w-full" onClick={onOpen}>
            Open traces
          </Button>
        ) : (
          <p className="mt-1 text-xs text-ink-soft">
            {HOW[by]} for {isAll ? "all traces of this time" : "the traces"}
          </p>
        ))}
    </div>
  );
}
