import type { ReactNode } from "react";
import { lazy, Suspense, useId, useMemo } from "react";
import { useElementWidth, useShownTheme } from "../design/browser-state.ts";
import { Button } from "../design/button.tsx";
import { classNames } from "../design/class-names.ts";
import { loadPart } from "../design/load-part.ts";
import type { ValueTicks } from "./axis-ticks.ts";
import { type ChartCursor, hasValue, separableSeries } from "./chart-cursor.ts";
import { ChartOverlay, type ChartOverlayProps } from "./chart-overlay.tsx";
import { sumAt } from "./chart-series.ts";
import { chartWords, type WordedChart } from "./chart-words.ts";
import type { PlotArea } from "./plot-canvas.tsx";
import { SeriesSwatch } from "./series-swatch.tsx";
import { bucketOf, bucketSpan, formatTimeSpan } from "./time-buckets.ts";

const PlotCanvas = lazy(async () => {
  const { PlotCanvas: component } = await loadPart(() => import("./plot-canvas.tsx"));
  return { default: component };
});

/** The same for every chart, so that their times line up. */
const AREA: PlotArea = {
  height: 190,
  margin: { top: 8, right: 20, bottom: 24, left: 54 },
};

interface TimeChartProps extends Omit<ChartOverlayProps, "describedBy" | "values"> {
  readonly chart: WordedChart;
  readonly ticks: ValueTicks;
  readonly formatTick: (value: number) => string;
  /** The highlighted series; null for none. */
  readonly emphasis: number | null;
  /** Beside the title. */
  readonly legend?: ReactNode;
}

/** Values over time, usable by mouse, touch, keyboard and screen reader. */
export function TimeChart(props: TimeChartProps) {
  const { chart, ticks, formatTick, emphasis, cursor, title, name } = props;
  const { kind, series, buckets } = chart;
  const [host, measured] = useElementWidth();
  const width = measured ?? 0;
  const theme = useShownTheme();
  const titleId = useId();
  const plot = useMemo(
    () => ({ kind, series, buckets, ticks, format: formatTick, emphasis, area: AREA }),
    [kind, series, buckets, ticks, formatTick, emphasis],
  );
  const words = useMemo(() => chartWords(chart), [chart]);
  const index = cursor === null ? null : bucketOf(buckets, cursor.time);
  const open = (at: number, chosen: number | null) => {
    if (hasValue(chart, at)) props.onOpen(at, separableSeries(chart, at, chosen));
  };
  return (
    <section
      aria-labelledby={titleId}
      className="flex min-w-0 flex-col gap-1 rounded-xl border border-line bg-surface p-3 pb-1.5"
    >
      <header className="flex min-h-7 flex-wrap items-center justify-between gap-x-4 gap-y-1 pl-1">
        <h2 id={titleId} className="font-semibold">
          {title}
        </h2>
        {props.legend}
      </header>
      <p id={`${titleId}-words`} className="sr-only">
        {words} Left and right arrows move through time, up and down arrows choose a series, Enter
        opens the traces, plus and minus zoom.
      </p>
      <div ref={host} className="relative" style={{ height: AREA.height }}>
        <Suspense fallback={<div className="h-full animate-pulse rounded-lg bg-sunken" />}>
          <PlotCanvas plot={plot} width={width} theme={theme} />
        </Suspense>
        <div className="absolute" style={AREA.margin}>
          <ChartOverlay
            {...props}
            describedBy={`${titleId}-words`}
            values={{ low: ticks[0] ?? 0, high: ticks.at(-1) ?? 1 }}
            onOpen={open}
          />
          {cursor !== null && cursor.chart === name && index !== null && (
            <ChartTooltip
              chart={chart}
              index={index}
              series={cursor.series}
              by={cursor.by}
              onOpen={() => open(index, cursor.series)}
            />
          )}
        </div>
      </div>
    </section>
  );
}

interface ChartTooltipProps {
  readonly chart: WordedChart;
  readonly index: number;
  readonly series: number | null;
  readonly by: ChartCursor["by"];
  readonly onOpen: () => void;
}

const ACTION = { mouse: "Click", keyboard: "Press Enter" } as const;

/** The values of the bucket at the cursor. */
function ChartTooltip({ chart, index, series, by, onOpen }: ChartTooltipProps) {
  const { buckets, format } = chart;
  const isLeft = index < buckets.count / 2;
  const edge = isLeft ? (index + 1) / buckets.count : 1 - index / buckets.count;
  const total = sumAt(
    chart.series.map(({ values }) => values),
    index,
  );
  const isAll = series !== null && separableSeries(chart, index, series) === null;
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
            <dt>Total</dt>
            <dd className="tabular-nums">{format(total)}</dd>
          </div>
        )}
      </dl>
      {hasValue(chart, index) &&
        (by === "touch" ? (
          <Button size="small" look="primary" className="mt-2 w-full" onClick={onOpen}>
            Open traces
          </Button>
        ) : (
          <p className="mt-1 text-xs text-ink-soft">
            {ACTION[by]} to open {isAll ? "all traces of this period" : "the traces"}
          </p>
        ))}
    </div>
  );
}
