/** A time span in milliseconds since 1970, without its end. */
export interface TimeSpan {
  readonly from: number;
  readonly to: number;
}

/** Equal slices of time, the x axis of a chart. */
export interface TimeBuckets {
  /** Start of the first, in milliseconds since 1970. */
  readonly from: number;
  /** Length of each, in milliseconds. */
  readonly width: number;
  readonly count: number;
}

/** The time that all buckets cover. */
export function spanOf({ from, width, count }: TimeBuckets): TimeSpan {
  return { from, to: from + width * count };
}

export function bucketSpan(buckets: TimeBuckets, index: number): TimeSpan {
  const from = buckets.from + index * buckets.width;
  return { from, to: from + buckets.width };
}

/** The bucket at a position from 0 (left edge) to 1 (right edge), clamped. */
export function bucketAt({ count }: Pick<TimeBuckets, "count">, place: number): number {
  return Math.max(0, Math.min(count - 1, Math.floor(place * count)));
}

/** The bucket that contains a time; null for none. */
export function bucketOf(buckets: TimeBuckets, time: number): number | null {
  const index = Math.floor((time - buckets.from) / buckets.width);
  return index >= 0 && index < buckets.count ? index : null;
}

/** The whole buckets between two positions, in either order: a drag selection. */
export function selectBuckets(buckets: TimeBuckets, start: number, end: number): TimeSpan {
  const first = bucketAt(buckets, Math.min(start, end));
  const last = bucketAt(buckets, Math.max(start, end));
  return { from: bucketSpan(buckets, first).from, to: bucketSpan(buckets, last).to };
}

/** Half the span around a bucket: at least that bucket, and within the current span. */
export function zoomIn(buckets: TimeBuckets, index: number): TimeSpan {
  const count = Math.max(1, Math.round(buckets.count / 2));
  const first = Math.max(0, Math.min(buckets.count - count, index - Math.floor(count / 2)));
  return {
    from: bucketSpan(buckets, first).from,
    to: bucketSpan(buckets, first + count - 1).to,
  };
}

/** Twice the span around the same centre, shifted back where it would end in the future. */
export function zoomOut({ from, to }: TimeSpan, now: number): TimeSpan {
  const length = to - from;
  const end = Math.max(to, Math.min(to + length / 2, now));
  return { from: Math.max(0, end - 2 * length), to: end };
}

const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const exactClock = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });

/**
 * A time span in local time, as short as possible.
 *
 * @example formatTimeSpan(bucket) // "15 Nov, 10:00 – 10:15"
 */
export function formatTimeSpan({ from, to }: TimeSpan): string {
  if (isMidnight(from) && isMidnight(to)) {
    const last = to - 1;
    const [first, end] = [day.format(from), day.format(last)];
    return first === end ? first : `${first} – ${end}`;
  }
  const format = from % 60_000 === 0 && to % 60_000 === 0 ? clock : exactClock;
  const start = `${day.format(from)}, ${format.format(from)}`;
  const isSameDay = day.format(from) === day.format(to);
  return `${start} – ${isSameDay ? "" : `${day.format(to)}, `}${format.format(to)}`;
}

function isMidnight(time: number): boolean {
  const date = new Date(time);
  return date.getHours() + date.getMinutes() + date.getSeconds() + date.getMilliseconds() === 0;
}
