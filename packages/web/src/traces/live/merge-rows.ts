import { compareRows, type TraceRow } from "../../api/trace-row.ts";
import type { TracePage } from "../../api/traces.ts";

/** A trace as it is now, and whether it belongs to the list. */
export interface RowChange {
  readonly row: TraceRow;
  readonly belongs: boolean;
}

/**
 * The pages with these changes in them, in the order of the platform's list and without duplicates.
 * What belongs behind the last page is left for when that is read on.
 */
export function mergeRows(
  pages: readonly TracePage[],
  changes: readonly RowChange[],
): readonly TracePage[] {
  const before = new Map(
    pages.flatMap(({ rows }) => rows.map(({ key, failedSpans }) => [key, failedSpans])),
  );
  // The stream tells tops alone: what is known of the spans below stays.
  const latest = new Map(
    changes.map(({ row, belongs }) => {
      const failedSpans = row.failedSpans || (before.get(row.key) ?? 0);
      return [row.key, { row: { ...row, failedSpans }, belongs }];
    }),
  );
  const added = Map.groupBy(
    [...latest.values()].filter(({ belongs }) => belongs).map(({ row }) => row),
    (row) => pages.findIndex((page) => reaches(page, row)),
  );
  return pages.map((page, index) => {
    const kept = page.rows.filter(({ key }) => !latest.has(key));
    const rows = added.get(index) ?? [];
    if (kept.length === page.rows.length && rows.length === 0) return page;
    return { ...page, rows: [...kept, ...rows].sort(compareRows) };
  });
}

/** All rows; of a trace that has moved while pages were read, only the first is shown. */
export function flattenRows(pages: readonly TracePage[]): readonly TraceRow[] {
  const byKey = new Map<string, TraceRow>();
  for (const { rows } of pages) {
    for (const row of rows) if (!byKey.has(row.key)) byKey.set(row.key, row);
  }
  return [...byKey.values()];
}

/** The pages without anything of a trace. */
export function withoutTrace(pages: readonly TracePage[], traceId: string): readonly TracePage[] {
  return pages.map((page) => ({
    ...page,
    rows: page.rows.filter((row) => row.traceId !== traceId),
  }));
}

/**
 * The rows of an answer without those that have left the list since it was asked for: a trace that
 * was deleted meanwhile would come back.
 */
export function withoutRemoved(
  rows: readonly TraceRow[],
  whenAsked: readonly TracePage[],
  now: readonly TracePage[],
): readonly TraceRow[] {
  const listed = keysOf(now);
  const before = keysOf(whenAsked);
  return rows.filter(({ key }) => listed.has(key) || !before.has(key));
}

function keysOf(pages: readonly TracePage[]): ReadonlySet<string> {
  return new Set(pages.flatMap(({ rows }) => rows.map(({ key }) => key)));
}

/**
 * Tells the changes that move no row, and can be shown at once, from those that do and may have to
 * wait until nobody reads. What is not in the list and does not belong to its pages is no change.
 */
export function splitChanges(
  pages: readonly TracePage[],
  changes: readonly RowChange[],
): { readonly inPlace: readonly RowChange[]; readonly moving: readonly RowChange[] } {
  const keys = new Set(changes.map(({ row }) => row.key));
  const shown = new Map(
    pages.flatMap(({ rows }) =>
      rows.filter(({ key }) => keys.has(key)).map((row) => [row.key, row]),
    ),
  );
  const isReached = (row: TraceRow) => pages.some((page) => reaches(page, row));
  const { inPlace = [], moving = [] } = Object.groupBy(changes, ({ row, belongs }) => {
    const before = shown.get(row.key);
    if (before === undefined) return belongs && isReached(row) ? "moving" : "nothing";
    return belongs && compareRows(before, row) === 0 ? "inPlace" : "moving";
  });
  return { inPlace, moving };
}

/** Whether a row stands on this page or before it. */
function reaches({ next }: TracePage, row: TraceRow): boolean {
  return next === null || compareRows(row, next.after) <= 0;
}

/** Of rows, newest first, those that did not begin before a time: RFC 3339, undefined for no bound. */
export function rowsSince(
  rows: readonly TraceRow[],
  from: string | undefined,
): readonly TraceRow[] {
  if (from === undefined) return rows;
  const earliest = Date.parse(from);
  const last = rows.findLastIndex(({ startedAt }) => !(Date.parse(startedAt) < earliest));
  return last === rows.length - 1 ? rows : rows.slice(0, last + 1);
}

/** What has arrived for a list and is not shown yet, so that nothing moves under the reader. */
interface HeldRows {
  /** Which list it is for. */
  readonly list: string;
  readonly changes: ReadonlyMap<string, RowChange>;
  /** More has changed than is known: the list is to be read anew. */
  readonly hasGap: boolean;
}

/** A list that is left paused for a night is read anew instead. */
const MOST_HELD = 1000;

export function nothingHeld(list: string): HeldRows {
  return { list, changes: new Map(), hasGap: false };
}

export function holdChanges(held: HeldRows, changes: readonly RowChange[]): HeldRows {
  if (changes.length === 0 || held.hasGap) return held;
  const added = changes.map((change) => [change.row.key, change] as const);
  const all = new Map([...held.changes, ...added]);
  return all.size > MOST_HELD ? withGap(held) : { ...held, changes: all };
}

/** What is known of it is not needed any more. */
export function withGap(held: HeldRows): HeldRows {
  return { ...nothingHeld(held.list), hasGap: true };
}

/** How many are new, rather than changed. */
export function countNew(held: HeldRows, pages: readonly TracePage[]): number {
  if (held.changes.size === 0) return 0;
  const shown = new Set(pages.flatMap(({ rows }) => rows.map(({ key }) => key)));
  return [...held.changes.values()].filter(({ row, belongs }) => belongs && !shown.has(row.key))
    .length;
}

/**
 * Whether there may be more between the newest page, just read, and what is known: none of it is
 * known, and it is not all there is.
 */
export function leavesGap(newest: TracePage, pages: readonly TracePage[], held: HeldRows): boolean {
  const keys = new Set(newest.rows.map(({ key }) => key));
  const isKnown =
    newest.rows.some(({ key }) => held.changes.has(key)) ||
    pages.some(({ rows }) => rows.some(({ key }) => keys.has(key)));
  return newest.next !== null && !isKnown;
}
