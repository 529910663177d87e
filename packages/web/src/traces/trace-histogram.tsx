import type { Analytics, AnalyticsBucket } from "@agate/protocol";
import { plural } from "@agate/protocol/format";
import { useQuery } from "@tanstack/react-query";
import { type PointerEvent, useState } from "react";
import { analyticsQuery } from "../api/analytics.ts";
import { usePlatform } from "../api/platform-context.tsx";
import { bucketAt } from "../charts/time-buckets.ts";
import { classNames } from "../design/class-names.ts";
import { formatTime } from "../format/format-time.ts";
import { parseTimeRange, type TimeRange } from "../time-range/time-range.ts";
import { HISTOGRAM_CLASS } from "./rows/row-look.ts";
import { filtersOf, histogramTime, type TracesSearch } from "./traces-search.ts";

const LIVE_MS = 5000;
/** For all time, which takes longer to count, and where a single trace hardly shows. */
const LIVE_ALL_MS = 30_000;

interface TraceHistogramProps {
  readonly search: TracesSearch;
  readonly onNarrow: (range: TimeRange) => void;
}

/** Traces and failed traces over time; dragging selects a time range. */
export function TraceHistogram({ search, onNarrow }: TraceHistogramProps) {
  const time = histogramTime(parseTimeRange(search, "all"));
  const isAll = "from" in time && time.from === "earliest";
  const counts = useQuery({
    ...analyticsQuery(usePlatform(), { time, filters: filtersOf(search) }),
    ...(search.live === "on" && { refetchInterval: isAll ? LIVE_ALL_MS : LIVE_MS }),
  });
  // The list below shows the error, if there is one.
  if (counts.data === undefined) return <div className={HISTOGRAM_CLASS} />;
  return <Bars counts={counts.data} onNarrow={onNarrow} />;
}

interface BarsProps {
  readonly counts: Analytics;
  readonly onNarrow: (range: TimeRange) => void;
}

function Bars({ counts, onNarrow }: BarsProps) {
  const { buckets, from, to } = counts;
  const [drag, setDrag] = useState<readonly [number, number] | null>(null);
  const most = Math.max(1, ...buckets.map(({ count }) => count));
  const [first, last] = drag === null ? [-1, -1] : [Math.min(...drag), Math.max(...drag)];
  const total = buckets.reduce((sum, { count }) => sum + count, 0);
  const errors = buckets.reduce((sum, bucket) => sum + bucket.errors, 0);
  const pointed = (event: PointerEvent<HTMLElement>) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    return bucketAt({ count: buckets.length }, (event.clientX - left) / width);
  };
  const endOf = (index: number) => buckets[index + 1]?.start ?? to;
  return (
    <div className="shrink-0 px-4 pb-2 md:px-6">
      <div
        role="img"
        aria-label={`${plural(total, "trace")}, ${errors.toLocaleString("en")} failed, ${formatTime(from)} to ${formatTime(to)}`}
        className="flex h-10 cursor-crosshair touch-none items-end gap-px border-b border-line select-none"
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          setDrag([pointed(event), pointed(event)]);
        }}
        onPointerMove={(event) => {
          if (drag !== null) setDrag([drag[0], pointed(event)]);
        }}
        onPointerCancel={() => setDrag(null)}
        onPointerUp={() => {
          setDrag(null);
          const begin = buckets[first]?.start;
          if (begin !== undefined) onNarrow({ kind: "fixed", from: begin, to: endOf(last) });
        }}
      >
        {buckets.map((bucket, index) => (
          <Bar
            key={bucket.start}
            bucket={bucket}
            end={endOf(index)}
            most={most}
            isChosen={index >= first && index <= last}
          />
        ))}
      </div>
      <div className="flex justify-between pt-0.5 text-xs text-ink-soft tabular-nums" aria-hidden>
        <span>{formatTime(from)}</span>
        <span>{formatTime(to)}</span>
      </div>
    </div>
  );
}

interface BarProps {
  readonly bucket: AnalyticsBucket;
  readonly end: string;
  readonly most: number;
  readonly isChosen: boolean;
}

function Bar({ bucket: { start, count, errors }, end, most, isChosen }: BarProps) {
  const share = (part: number) => `${(100 * part) / most}%`;
  return (
    <div
      title={`${formatTime(start)} to ${formatTime(end)}\n${plural(count, "trace")}, ${errors.toLocaleString("en")} failed`}
      className={classNames(
        "flex h-full min-w-0 flex-1 flex-col justify-end hover:bg-sunken",
        isChosen && "bg-accent-soft",
      )}
    >
      {count > 0 && (
        <div
          className="flex min-h-0.5 flex-col justify-end rounded-t-xs bg-accent forced-color-adjust-none"
          style={{ height: share(count) }}
        >
          {errors > 0 && (
            <div className="min-h-0.5 bg-danger" style={{ height: `${(100 * errors) / count}%` }} />
          )}
        </div>
      )}
    </div>
  );
}
