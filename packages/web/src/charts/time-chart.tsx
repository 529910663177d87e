import type { ReactNode } from "react";
import { lazy, Suspense, useId, useMemo } from "react";
import { useElementWidth, useShownTheme } from "../design/browser-state.ts";
import { loadPart } from "../design/load-part.ts";
import { hasSomething, meantSeries } from "./chart-cursor.ts";
import { ChartOverlay, type ChartOverlayProps } from "./chart-overlay.tsx";
import { ChartTooltip } from "./chart-tooltip.tsx";
import { chartWords, type WordedChart } from "./chart-words.ts";
import { CHART_HEIGHT, PLOT_MARGIN } from "./plot-area.ts";
import { bucketOf } from "./time-buckets.ts";
import type { ValueTicks } from "./value-ticks.ts";

const PlotCanvas = lazy(async () => {
  const { PlotCanvas: component } = await loadPart(() => import("./plot-canvas.tsx"));
  return { default: component };
});

interface TimeChartProps extends Omit<ChartOverlayProps, "describedBy" | "top"> {
  readonly chart: WordedChart;
  readonly ticks: ValueTicks;
  readonly formatTick: (value: number) => string;
  /** The series that stands out; null where none does. */
  readonly emphasis: number | null;
  /** In the title's line. */
  readonly legend?: ReactNode;
}

/** Values over time: drawn, and open to mouse, finger, keyboard and ear. */
export function TimeChart(props: TimeChartProps) {
  const { chart, ticks, formatTick, emphasis, cursor, title, name } = props;
  const { kind, series, buckets } = chart;
  const [host, measured] = useElementWidth();
  const width = measured ?? 0;
  const theme = useShownTheme();
  const titleId = useId();
  const plot = useMemo(
    () => ({ kind, series, buckets, ticks, format: formatTick, emphasis }),
    [kind, series, buckets, ticks, formatTick, emphasis],
  );
  const words = useMemo(() => chartWords(chart), [chart]);
  const index = cursor === null ? null : bucketOf(buckets, cursor.time);
  const open = (at: number, chosen: number | null) => {
    if (hasSomething(chart, at)) props.onOpen(at, meantSeries(chart, at, chosen));
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
        {words} Left and right move through time, up and down choose a series, Enter opens the
        traces, plus and minus zoom.
      </p>
      <div ref={host} className="relative" style={{ height: CHART_HEIGHT }}>
        <Suspense fallback={<div className="h-full animate-pulse rounded-lg bg-sunken" />}>
          <PlotCanvas plot={plot} width={width} theme={theme} />
        </Suspense>
        <div className="absolute" style={PLOT_MARGIN}>
          <ChartOverlay
            {...props}
            describedBy={`${titleId}-words`}
            top={ticks.at(-1) ?? 1}
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
