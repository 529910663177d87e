import "uplot/dist/uPlot.min.css";
import { useLayoutEffect, useRef } from "react";
import uPlot from "uplot";
import { clockTicks, type ValueTicks } from "./axis-ticks.ts";
import { type ChartSeries, lonePoints, type StackedValues, stackValues } from "./chart-series.ts";
import { spanOf, type TimeBuckets } from "./time-buckets.ts";

interface PlotCanvasProps {
  readonly plot: Plot;
  /** In pixels. */
  readonly width: number;
  /** Triggers a redraw: the colours are read from the page while drawing. */
  readonly theme: "light" | "dark";
}

/** The canvas of a chart. It imports uPlot: load it lazily. */
export function PlotCanvas({ plot, width, theme }: PlotCanvasProps) {
  const host = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the theme is what the colours come from.
  useLayoutEffect(() => {
    if (host.current === null || width === 0) return;
    return drawPlot(host.current, plot, width);
  }, [plot, width, theme]);
  return <div ref={host} aria-hidden="true" />;
}

/** What to draw. Interaction is handled by ChartOverlay. */
interface Plot {
  readonly kind: "bars" | "lines";
  readonly series: readonly ChartSeries[];
  readonly buckets: TimeBuckets;
  readonly ticks: ValueTicks;
  readonly format: (value: number) => string;
  /** The highlighted series; null for none. */
  readonly emphasis: number | null;
  readonly area: PlotArea;
}

/** The height of a chart and the margin around its plot, in pixels. */
export interface PlotArea {
  readonly height: number;
  readonly margin: {
    readonly top: number;
    readonly right: number;
    readonly bottom: number;
    readonly left: number;
  };
}

const PIXELS_BETWEEN_TIMES = 64;
const WIDEST_BAR = 56;

/** Draws into an element, and returns a function that removes the drawing. */
function drawPlot(host: HTMLElement, plot: Plot, width: number): () => void {
  const { series, buckets, ticks, area } = plot;
  const tokens = ["--line", "--ink-soft", "--surface", ...series.map(({ paint }) => paint.colour)];
  const colours = readColours(host, tokens);
  const colour = (token: string) => colours.get(token) ?? "";
  const span = spanOf(buckets);
  const plotWidth = width - area.margin.left - area.margin.right;
  const times = clockTicks(span, Math.max(2, Math.floor(plotWidth / PIXELS_BETWEEN_TIMES)));
  const values = series.map((each) => each.values);
  const stacked = plot.kind === "bars" ? stackValues(values) : [];
  const axis = {
    stroke: colour("--ink-soft"),
    font: `12px ${getComputedStyle(host).fontFamily}`,
    ticks: { show: false },
  };
  const drawn = new uPlot(
    {
      width,
      height: area.height,
      padding: [area.margin.top, area.margin.right, 0, 0],
      cursor: { show: false },
      select: { show: false, left: 0, top: 0, width: 0, height: 0 },
      legend: { show: false },
      scales: {
        x: { time: false, range: [span.from, span.to] },
        y: { range: [ticks[0] ?? 0, ticks.at(-1) ?? 1] },
      },
      axes: [
        {
          ...axis,
          size: area.margin.bottom,
          gap: 6,
          grid: { show: false },
          splits: times.map(({ time }) => time),
          values: times.map(({ label }) => label),
        },
        {
          ...axis,
          size: area.margin.left,
          gap: 8,
          grid: { stroke: colour("--line"), width: 1 },
          splits: [...ticks],
          values: ticks.map(plot.format),
        },
      ],
      series: [
        {},
        ...series.map((each, position) => ({
          alpha: plot.emphasis === null || plot.emphasis === position ? 1 : 0.2,
          stroke: colour(each.paint.colour),
          pxAlign: 0,
          ...seriesLook(each, stacked[position], buckets, colour),
        })),
      ],
    },
    [
      // In the middle of each bucket, where the cursor is.
      Array.from(
        { length: buckets.count },
        (_, index) => span.from + (index + 0.5) * buckets.width,
      ),
      ...values.map((own, position) => [...(stacked[position]?.tops ?? own)]),
    ],
    host,
  );
  return () => drawn.destroy();
}

/** How uPlot draws one series: as bars where it is part of a stack, else as a line. */
function seriesLook(
  { paint, values }: ChartSeries,
  stack: StackedValues | undefined,
  buckets: TimeBuckets,
  colour: (token: string) => string,
): uPlot.Series {
  if (stack === undefined) {
    return {
      width: 1.75,
      dash: [...paint.dash],
      points: { show: true, size: 5, filter: () => lonePoints(values) },
    };
  }
  return {
    width: 0,
    fill: paint.isHatched
      ? ({ ctx }) => hatching(ctx, colour(paint.colour), colour("--surface"))
      : colour(paint.colour),
    points: { show: false },
    paths: (chart, _series, first, last) => bars(chart, stack, buckets, first, last),
  };
}

/** The bars of one series of a stack, with a gap of a pixel to the one below. */
function bars(
  chart: uPlot,
  { bases, tops }: StackedValues,
  buckets: TimeBuckets,
  first: number,
  last: number,
): uPlot.Series.Paths {
  const fill = new Path2D();
  const slot = chart.bbox.width / buckets.count;
  const ratio = uPlot.pxRatio;
  const gap = slot > 4 * ratio ? Math.max(ratio, slot * 0.18) : 0;
  const width = Math.min(slot - gap, WIDEST_BAR * ratio);
  for (let index = first; index <= last; index++) {
    const [base, top] = [bases[index] ?? 0, tops[index] ?? null];
    if (top === null || top <= base) continue;
    const middle = chart.bbox.left + (index + 0.5) * slot;
    const bottomEdge = chart.valToPos(base, "y", true) - (base > 0 ? ratio : 0);
    const topEdge = chart.valToPos(top, "y", true);
    // A small value must still be visible.
    const height = Math.max(bottomEdge - topEdge, ratio);
    fill.rect(middle - width / 2, bottomEdge - height, width, height);
  }
  return { fill, stroke: null };
}

function hatching(ctx: CanvasRenderingContext2D, ink: string, paper: string) {
  const size = Math.round(6 * uPlot.pxRatio);
  const tile = ctx.canvas.ownerDocument.createElement("canvas");
  tile.width = size;
  tile.height = size;
  const pen = tile.getContext("2d");
  if (pen === null) return ink;
  pen.fillStyle = ink;
  pen.fillRect(0, 0, size, size);
  pen.strokeStyle = paper;
  pen.globalAlpha = 0.45;
  pen.lineWidth = size / 4;
  pen.beginPath();
  for (const shift of [-size, 0, size]) {
    pen.moveTo(shift - 1, size + 1);
    pen.lineTo(shift + size + 1, -1);
  }
  pen.stroke();
  return ctx.createPattern(tile, "repeat") ?? ink;
}

/**
 * Resolves CSS custom properties to colours for the canvas. `light-dark()` is resolved only in a colour
 * property, so that they are read from the `color` of an element.
 */
function readColours(host: HTMLElement, tokens: readonly string[]): Map<string, string> {
  const probe = host.ownerDocument.createElement("span");
  host.append(probe);
  const colours = tokens.map((token) => {
    probe.style.color = `var(${token})`;
    return [token, getComputedStyle(probe).color] as const;
  });
  probe.remove();
  return new Map(colours);
}
