import type { KeyboardEvent, PointerEvent } from "react";
import { useState } from "react";
import {
  type ChartCursor,
  type ChartPlace,
  type ChartPoint,
  moveByKey,
  pointAt,
} from "./chart-cursor.ts";
import { bucketWords, type WordedChart } from "./chart-words.ts";
import {
  bucketOf,
  bucketSpan,
  formatTimeSpan,
  selectBuckets,
  spanOf,
  type TimeSpan,
  zoomIn,
  zoomOut,
} from "./time-buckets.ts";

/** A shorter movement is a click, not a drag. */
const DRAG_PIXELS = 5;

export interface ValueSpan {
  readonly low: number;
  readonly high: number;
}

export interface ChartOverlayProps {
  readonly name: string;
  readonly title: string;
  readonly describedBy: string;
  readonly chart: WordedChart;
  /** The ends of the value axis. */
  readonly values: ValueSpan;
  /** The series that the keyboard starts with; null for all. */
  readonly usualSeries: number | null;
  readonly cursor: ChartCursor | null;
  readonly onCursor: (cursor: ChartCursor | null) => void;
  readonly onZoom: (span: TimeSpan) => void;
  readonly onOpen: (index: number, series: number | null) => void;
}

interface Drag {
  readonly pointer: number;
  readonly startX: number;
  readonly start: number;
  readonly end: number;
  readonly isSelection: boolean;
}

/** The interactive layer of a chart: its cursor, its selection and its keys. */
export function ChartOverlay(props: ChartOverlayProps) {
  const { chart, cursor, name, onCursor } = props;
  const { buckets } = chart;
  const index = cursor === null ? null : bucketOf(buckets, cursor.time);
  const series = cursor?.chart === name ? cursor.series : props.usualSeries;
  const { drag, handlers } = useChartGestures(props, index, series);
  return (
    <div
      role="slider"
      tabIndex={0}
      aria-label={`${props.title} over time`}
      aria-describedby={props.describedBy}
      aria-orientation="horizontal"
      aria-valuemin={0}
      aria-valuemax={buckets.count - 1}
      aria-valuenow={index ?? buckets.count - 1}
      aria-valuetext={index === null ? "No time selected" : bucketWords(chart, index, series)}
      className="absolute inset-0 cursor-crosshair touch-pan-y rounded-sm"
      onPointerLeave={() => cursor?.by === "mouse" && onCursor(null)}
      onBlur={() => cursor?.by === "keyboard" && onCursor(null)}
      {...handlers}
    >
      {index !== null && drag?.isSelection !== true && (
        <div
          className="pointer-events-none absolute inset-y-0 min-w-px border-x border-line-strong/40 bg-ink/5"
          style={{ left: `${(index / buckets.count) * 100}%`, width: `${100 / buckets.count}%` }}
        />
      )}
      {drag?.isSelection && <Selection drag={drag} chart={chart} />}
    </div>
  );
}

/** Pointing, clicking, dragging and keys, as handlers; and the drag in progress. */
function useChartGestures(
  { chart, cursor, values, name, onCursor, onZoom, onOpen }: ChartOverlayProps,
  index: number | null,
  series: number | null,
) {
  const { buckets } = chart;
  const [drag, setDrag] = useState<Drag | null>(null);

  /** Returns whether the cursor was there already. */
  const show = (by: ChartCursor["by"], point: ChartPoint) => {
    const { from: time } = bucketSpan(buckets, point.index);
    const isSame =
      cursor?.chart === name &&
      cursor.by === by &&
      cursor.time === time &&
      cursor.series === point.series;
    if (!isSame) onCursor({ chart: name, time, series: point.series, by });
    return isSame;
  };
  const onPointerDown = (event: PointerEvent<HTMLDivElement>) => {
    if (event.button !== 0) return;
    const { across } = placeOf(event, values);
    event.currentTarget.setPointerCapture(event.pointerId);
    setDrag({
      pointer: event.pointerId,
      startX: event.clientX,
      start: across,
      end: across,
      isSelection: false,
    });
  };
  const onPointerMove = (event: PointerEvent<HTMLDivElement>) => {
    const place = placeOf(event, values);
    if (drag?.pointer === event.pointerId) {
      const isSelection = selects(drag, event);
      setDrag({ ...drag, end: place.across, isSelection });
      if (isSelection && cursor !== null) onCursor(null);
    } else if (event.pointerType !== "touch") {
      show("mouse", pointAt(chart, buckets, place));
    }
  };
  const onPointerUp = (event: PointerEvent<HTMLDivElement>) => {
    if (drag?.pointer !== event.pointerId) return;
    setDrag(null);
    const place = placeOf(event, values);
    // Not `drag.isSelection`: the last move may not have been rendered yet.
    if (selects(drag, event)) {
      onZoom(selectBuckets(buckets, drag.start, place.across));
      return;
    }
    const point = pointAt(chart, buckets, place);
    if (event.pointerType !== "touch") onOpen(point.index, point.series);
    // A second tap on the same point hides the cursor.
    else if (show("touch", point)) onCursor(null);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const moved = moveByKey(event.key, chart, buckets, { index, series });
    if (moved !== undefined) show("keyboard", moved);
    else if (event.key === "Enter" && index !== null) onOpen(index, series);
    else if (event.key === "Escape" && drag !== null) setDrag(null);
    else if (event.key === "Escape" && cursor !== null) onCursor(null);
    else if (event.key === "+" || event.key === "=")
      onZoom(zoomIn(buckets, index ?? Math.floor(buckets.count / 2)));
    else if (event.key === "-") onZoom(zoomOut(spanOf(buckets), Date.now()));
    else return;
    event.preventDefault();
  };
  const onPointerCancel = () => setDrag(null);
  return {
    drag,
    handlers: { onPointerDown, onPointerMove, onPointerUp, onPointerCancel, onKeyDown },
  };
}

/** Marks whole buckets, because zooming shows whole buckets. */
function Selection({ drag, chart }: { readonly drag: Drag; readonly chart: WordedChart }) {
  const whole = spanOf(chart.buckets);
  const { from, to } = selectBuckets(chart.buckets, drag.start, drag.end);
  const length = whole.to - whole.from;
  return (
    <div
      className="pointer-events-none absolute inset-y-0 border-x border-accent bg-accent/15"
      style={{
        left: `${((from - whole.from) / length) * 100}%`,
        width: `${((to - from) / length) * 100}%`,
      }}
    >
      <p className="absolute top-1 left-1/2 -translate-x-1/2 rounded bg-raised px-1.5 text-xs whitespace-nowrap tabular-nums shadow">
        {formatTimeSpan({ from, to })}
      </p>
    </div>
  );
}

function selects(drag: Drag, { clientX }: PointerEvent): boolean {
  return drag.isSelection || Math.abs(clientX - drag.startX) > DRAG_PIXELS;
}

function placeOf(event: PointerEvent<HTMLElement>, { low, high }: ValueSpan): ChartPlace {
  const box = event.currentTarget.getBoundingClientRect();
  return {
    across: (event.clientX - box.left) / box.width,
    value: low + (high - low) * (1 - (event.clientY - box.top) / box.height),
  };
}
