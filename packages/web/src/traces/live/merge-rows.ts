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
