import uPlot from "uplot";
import type { ChartSeries } from "./chart-series.ts";
import { CHART_HEIGHT, PLOT_MARGIN } from "./plot-area.ts";
import { readColours } from "./read-colours.ts";
import { lonePoints, type StackedValues, stackValues } from "./stack-values.ts";
import { spanOf, type TimeBuckets } from "./time-buckets.ts";
import { timeTicks } from "./time-ticks.ts";
import type { ValueTicks } from "./value-ticks.ts";

/** What a plot shows. It only draws: what the reader does is the business of TimeChart. */
export interface Plot {
  readonly kind: "bars" | "lines";
  readonly series: readonly ChartSeries[];
  readonly buckets: TimeBuckets;
  readonly ticks: ValueTicks;
  readonly format: (value: number) => string;
  /** The series that stands out; null where none does. */
  readonly emphasis: number | null;
}

const PIXELS_BETWEEN_TIMES = 64;
const WIDEST_BAR = 56;

/** Draws into an element and returns how to take it away. */
export function drawPlot(host: HTMLElement, plot: Plot, width: number): () => void {
  const { series, buckets, ticks } = plot;
  const tokens = ["--line", "--ink-soft", "--surface", ...series.map(({ paint }) => paint.colour)];
  const colours = readColours(host, tokens);
  const colour = (token: string) => colours.get(token) ?? "";
  const span = spanOf(buckets);
  const plotWidth = width - PLOT_MARGIN.left - PLOT_MARGIN.right;
  const times = timeTicks(span, Math.max(2, Math.floor(plotWidth / PIXELS_BETWEEN_TIMES)));
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
      height: CHART_HEIGHT,
      padding: [PLOT_MARGIN.top, PLOT_MARGIN.right, 0, 0],
      cursor: { show: false },
      select: { show: false, left: 0, top: 0, width: 0, height: 0 },
      legend: { show: false },
      scales: {
        x: { time: false, range: [span.from, span.to] },
        y: { range: [0, ticks.at(-1) ?? 1] },
      },
      axes: [
        {
          ...axis,
          size: PLOT_MARGIN.bottom,
          gap: 6,
          grid: { show: false },
          splits: times.map(({ time }) => time),
          values: times.map(({ label }) => label),
        },
        {
          ...axis,
          size: PLOT_MARGIN.left,
          gap: 8,
          grid: { stroke: colour("--line"), width: 1 },
          splits: [...ticks],
          values: ticks.map(plot.format),
        },
      ],
      series: [
        {},
        ...series.map(({ paint, values: own }, position): uPlot.Series => {
          const alpha = plot.emphasis === null || plot.emphasis === position ? 1 : 0.2;
          const shared = { alpha, stroke: colour(paint.colour), pxAlign: 0 };
          const stack = stacked[position];
          if (stack === undefined) {
            return {
              ...shared,
              width: 1.75,
              dash: [...paint.dash],
              points: { show: true, size: 5, filter: () => lonePoints(own) },
            };
          }
          return {
            ...shared,
            width: 0,
            fill: paint.isHatched
              ? ({ ctx }) => hatching(ctx, colour(paint.colour), colour("--surface"))
              : colour(paint.colour),
            points: { show: false },
            paths: (chart, _series, first, last) => bars(chart, stack, buckets, first, last),
          };
        }),
      ],
    },
    [
      // In the middle of their buckets, where the cursor is.
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

/** The bars of one series from where it begins in the stack, a hair apart from the one below. */
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
    // However little it is, it is not nothing.
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
  // Enough to be seen, not so much that it shouts.
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
