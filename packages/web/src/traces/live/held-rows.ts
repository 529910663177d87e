import type { TracePage } from "../../api/traces.ts";
import type { RowChange } from "./merge-rows.ts";

/** What has arrived for a list and is not shown yet, so that nothing moves under the reader. */
export interface HeldRows {
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
