import type { PointerEvent } from "react";
import { useState } from "react";
import { formatLatency } from "../format/format-latency.ts";
import { tickText } from "../format/tick-text.ts";
import { GridHeading } from "./grid-parts.tsx";
import type { Interval } from "./own-time.ts";
import { axisTicks } from "./time-scale.ts";

/** Shorter drags are clicks that slipped. */
const SHORTEST_DRAG = 0.01;
const LAST_LABEL = 0.8;

interface TimeAxisProps {
  readonly axis: Interval;
  /** When the trace began. */
  readonly origin: number;
  readonly onZoom: (range: Interval) => void;
}

/** The times above the bars. Dragging over them shows that stretch alone. */
export function TimeAxis({ axis, origin, onZoom }: TimeAxisProps) {
  const [drag, setDrag] = useState<{ readonly from: number; readonly to: number } | null>(null);
  const placeOf = (event: PointerEvent<HTMLElement>) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    return Math.min(1, Math.max(0, (event.clientX - left) / width));
  };
  const finish = () => {
    setDrag(null);
    if (drag === null || Math.abs(drag.to - drag.from) < SHORTEST_DRAG) return;
    const length = axis.end - axis.start;
    const [from, to] = [Math.min(drag.from, drag.to), Math.max(drag.from, drag.to)];
    if (length > 0) onZoom({ start: axis.start + from * length, end: axis.start + to * length });
  };
  return (
    <GridHeading
      aria-label="Time"
      title="Drag to zoom in"
      className="relative h-full min-w-0 cursor-ew-resize touch-none overflow-hidden select-none"
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        const from = placeOf(event);
        setDrag({ from, to: from });
      }}
      onPointerMove={(event) => drag && setDrag({ ...drag, to: placeOf(event) })}
      onPointerUp={finish}
      onPointerCancel={() => setDrag(null)}
    >
      {axisTicks(axis, origin, 3).map(({ at, place }) => (
        <span
          key={at}
          className="absolute inset-y-0 flex items-center border-l border-line pl-1 font-normal whitespace-nowrap tabular-nums"
          style={{ left: `${place * 100}%` }}
        >
          {/* What would be cut off at the end says nothing. */}
          {place < LAST_LABEL && (at === 0 ? "0" : tickText(formatLatency(at)))}
        </span>
      ))}
      {drag !== null && (
        <span
          className="absolute inset-y-0 border-x border-accent bg-accent-soft"
          style={{
            left: `${Math.min(drag.from, drag.to) * 100}%`,
            width: `${Math.abs(drag.to - drag.from) * 100}%`,
          }}
        />
      )}
    </GridHeading>
  );
}
