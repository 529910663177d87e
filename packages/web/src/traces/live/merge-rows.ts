import { compareRows, type TraceRow } from "../../api/trace-row.ts";
import type { TracePage } from "../../api/traces.ts";

/**
 * The pages with these new or changed rows merged in, in the platform's order and without
 * duplicates. Rows after the last page are left out: they are read with the next page.
 */
export function mergeRows(
  pages: readonly TracePage[],
  changed: readonly TraceRow[],
): readonly TracePage[] {
  const latest = new Map(changed.map((row) => [row.key, row]));
  const added = Map.groupBy(latest.values(), (row) =>
    pages.findIndex((page) => reaches(page, row)),
  );
  return pages.map((page, index) => {
    const kept = page.rows.filter(({ key }) => !latest.has(key));
    const rows = added.get(index) ?? [];
    if (kept.length === page.rows.length && rows.length === 0) return page;
    return { ...page, rows: [...kept, ...rows].sort(compareRows) };
  });
}

/** All rows; a trace that moved to another page while pages were read is listed once. */
export function flattenRows(pages: readonly TracePage[]): readonly TraceRow[] {
  const byKey = new Map<string, TraceRow>();
  for (const { rows } of pages) {
    for (const row of rows) if (!byKey.has(row.key)) byKey.set(row.key, row);
  }
  return [...byKey.values()];
}

/** Of rows, newest first, those that did not start before a time: RFC 3339, undefined for no bound. */
export function rowsSince(
  rows: readonly TraceRow[],
  from: string | undefined,
): readonly TraceRow[] {
  if (from === undefined) return rows;
  const earliest = Date.parse(from);
  const last = rows.findLastIndex(({ startedAt }) => !(Date.parse(startedAt) < earliest));
  return last === rows.length - 1 ? rows : rows.slice(0, last + 1);
}

export function withoutTrace(pages: readonly TracePage[], traceId: string): readonly TracePage[] {
  return pages.map((page) => ({
    ...page,
    rows: page.rows.filter((row) => row.traceId !== traceId),
  }));
}

/**
 * The rows of a response without those removed from the list since the request: a trace deleted in
 * the meantime would come back.
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
 * Separates changes that can be shown at once, because no row moves, from those that wait while the
 * list is paused. A row after the last page is neither.
 */
export function splitChanges(
  pages: readonly TracePage[],
  changed: readonly TraceRow[],
): { readonly inPlace: readonly TraceRow[]; readonly moving: readonly TraceRow[] } {
  const keys = new Set(changed.map(({ key }) => key));
  const shown = new Map(
    pages.flatMap(({ rows }) =>
      rows.filter(({ key }) => keys.has(key)).map((row) => [row.key, row]),
    ),
  );
  const isReached = (row: TraceRow) => pages.some((page) => reaches(page, row));
  const { inPlace = [], moving = [] } = Object.groupBy(changed, (row) => {
    const before = shown.get(row.key);
    if (before === undefined) return isReached(row) ? "moving" : "beyond";
    return compareRows(before, row) === 0 ? "inPlace" : "moving";
  });
  return { inPlace, moving };
}

/** Whether a row belongs on this page or before it. */
function reaches({ next }: TracePage, row: TraceRow): boolean {
  return next === null || compareRows(row, next.after) <= 0;
}

/** Rows that arrived for a paused list. */
export interface HeldRows {
  /** The list that they are for. */
  readonly list: string;
  readonly rows: ReadonlyMap<string, TraceRow>;
  /** Rows were missed: the list has to be read again. */
  readonly hasGap: boolean;
}

/** Beyond this, a paused list is read again instead, to bound memory. */
const MOST_HELD = 1000;

export function nothingHeld(list: string): HeldRows {
  return { list, rows: new Map(), hasGap: false };
}

export function holdRows(held: HeldRows, changed: readonly TraceRow[]): HeldRows {
  if (changed.length === 0 || held.hasGap) return held;
  const rows = new Map([...held.rows, ...changed.map((row) => [row.key, row] as const)]);
  return rows.size > MOST_HELD ? withGap(held) : { ...held, rows };
}

export function withoutHeld(held: HeldRows, traceIds: readonly string[]): HeldRows {
  if (traceIds.every((id) => !held.rows.has(id))) return held;
  const rows = [...held.rows].filter(([, row]) => !traceIds.includes(row.traceId));
  return { ...held, rows: new Map(rows) };
}

export function withGap(held: HeldRows): HeldRows {
  return { ...nothingHeld(held.list), hasGap: true };
}

/** How many held rows are new to the list. */
export function countNew(held: HeldRows, pages: readonly TracePage[]): number {
  if (held.rows.size === 0) return 0;
  const shown = keysOf(pages);
  return [...held.rows.keys()].filter((key) => !shown.has(key)).length;
}

/** Whether rows may be missing between the newest page, just read, and the rows already known. */
export function leavesGap(newest: TracePage, pages: readonly TracePage[], held: HeldRows): boolean {
  const known = keysOf(pages);
  const overlaps = newest.rows.some(({ key }) => held.rows.has(key) || known.has(key));
  return newest.next !== null && !overlaps;
}
