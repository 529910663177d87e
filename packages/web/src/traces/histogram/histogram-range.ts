import type { AnalyticsTime } from "../../api/analytics.ts";
import { spanLength, type TimeRange, timeRangeSearch } from "../../time-range/time-range.ts";

/** How far back values are suggested where a range has no beginning. */
const LOOK_BACK = { kind: "last", span: "30d" } as const;

/** A range with a beginning: values of all time would take long to group. */
export function boundedRange(range: TimeRange): TimeRange {
  return isAll(range) ? LOOK_BACK : range;
}

/** What the histogram is over: the list's own range, all of it. */
export function histogramTime(range: TimeRange): AnalyticsTime {
  if (isAll(range)) return { from: "earliest" };
  if (range.kind === "last") return { last: spanLength(range.span) ?? 0 };
  const { range: _span, ...ends } = timeRangeSearch(range);
  return { from: "earliest", ...ends };
}

function isAll(range: TimeRange): boolean {
  return range.kind === "last" && spanLength(range.span) === null;
}
