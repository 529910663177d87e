import type { AnalyticsTime } from "../../api/analytics.ts";
import { spanLength, type TimeRange } from "../../time-range/time-range.ts";

const SPANS = ["15m", "1h", "24h", "7d", "30d"] as const;
/** How far back figures are looked for where a range has no beginning. */
const LOOK_BACK = "30d";

/**
 * What the histogram is over: the list's own range; over all of the time, the shortest that holds
 * the first page, which is what one sees.
 *
 * @param oldest When the last row of the first page began.
 */
export function histogramRange(range: TimeRange, oldest: string | null, now: number): TimeRange {
  const isAll = range.kind === "last" && spanLength(range.span) === null;
  if (!isAll) return range;
  const age = oldest === null ? 0 : now - Date.parse(oldest);
  const span = SPANS.find((each) => age < (spanLength(each) ?? 0)) ?? LOOK_BACK;
  return { kind: "last", span };
}

/** A range as figures are asked for over it. */
export function analyticsTime(range: TimeRange): AnalyticsTime {
  if (range.kind === "last") return { last: spanLength(range.span) ?? spanLength(LOOK_BACK) ?? 0 };
  const { from, to } = range;
  return { ...(from && { from }), ...(to && { to }) };
}
