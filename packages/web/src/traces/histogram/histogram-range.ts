import { spanLength, type TimeRange } from "../../time-range/time-range.ts";

const SPANS = ["15m", "1h", "24h", "7d"] as const;
/** How far back figures are looked for where a range has no beginning. */
const LOOK_BACK = { kind: "last", span: "30d" } as const;

/** A range as figures can be asked for over it, which need a beginning. */
export function boundedRange(range: TimeRange): TimeRange {
  return isAll(range) ? LOOK_BACK : range;
}

/**
 * What the histogram is over: the list's own range; over all of the time, the shortest that holds
 * the first page, which is what one sees.
 *
 * @param oldest When the last row of the first page began.
 */
export function histogramRange(range: TimeRange, oldest: string | null, now: number): TimeRange {
  if (!isAll(range)) return range;
  const age = oldest === null ? 0 : now - Date.parse(oldest);
  const span = SPANS.find((each) => age < (spanLength(each) ?? 0));
  return span === undefined ? LOOK_BACK : { kind: "last", span };
}

function isAll(range: TimeRange): boolean {
  return range.kind === "last" && spanLength(range.span) === null;
}
