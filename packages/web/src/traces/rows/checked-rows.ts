import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { TraceRow } from "../../api/trace-row.ts";

/** The rows whose checkboxes are checked, by their keys. */
export interface Checks {
  readonly keys: ReadonlySet<string>;
  /** Where a range begins: the row that was checked or unchecked last. */
  readonly anchor: string | null;
}

export const NO_CHECKS: Checks = { keys: new Set(), anchor: null };

type Keyed = Pick<TraceRow, "key">;

/**
 * Checks a row, or unchecks it.
 *
 * @param isRange Does the same to all rows from the anchor to this one.
 */
export function withToggled(
  { keys, anchor }: Checks,
  rows: readonly Keyed[],
  key: string,
  isRange: boolean,
): Checks {
  const next = new Set(keys);
  for (const each of isRange ? keysBetween(rows, anchor, key) : [key]) {
    if (keys.has(key)) next.delete(each);
    else next.add(each);
  }
  return { keys: next, anchor: key };
}

function keysBetween(
  rows: readonly Keyed[],
  anchor: string | null,
  key: string,
): readonly string[] {
  const to = rows.findIndex((row) => row.key === key);
  const from = rows.findIndex((row) => row.key === anchor);
  // The row at which the range begins was filtered out or deleted.
  if (from === -1 || to === -1) return [key];
  return rows.slice(Math.min(from, to), Math.max(from, to) + 1).map((row) => row.key);
}

/** Checks all rows; unchecks them where all are checked. */
export function withAllToggled({ keys }: Checks, rows: readonly Keyed[]): Checks {
  if (rows.every(({ key }) => keys.has(key))) return NO_CHECKS;
  return { keys: new Set(rows.map(({ key }) => key)), anchor: null };
}

export interface CheckedRows {
  readonly keys: ReadonlySet<string>;
  /** In the order of the list. */
  readonly rows: readonly TraceRow[];
  readonly toggle: (key: string, isRange: boolean) => void;
  readonly toggleAll: () => void;
  readonly clear: () => void;
}

/** @param list Identifies the list: another one begins with no row checked. */
export function useCheckedRows(list: string, rows: readonly TraceRow[]): CheckedRows {
  const [kept, setKept] = useState({ list, checks: NO_CHECKS });
  const { keys } = kept.list === list ? kept.checks : NO_CHECKS;
  // The functions stay the same while rows arrive: each row is memoised.
  const latest = useRef(rows);
  useEffect(() => {
    latest.current = rows;
  }, [rows]);
  const update = useCallback(
    (change: (checks: Checks, rows: readonly TraceRow[]) => Checks) =>
      setKept((before) => ({
        list,
        checks: change(before.list === list ? before.checks : NO_CHECKS, latest.current),
      })),
    [list],
  );
  const checked = useMemo(
    () => (keys.size === 0 ? [] : rows.filter(({ key }) => keys.has(key))),
    [rows, keys],
  );
  const toggle = useCallback(
    (key: string, isRange: boolean) =>
      update((checks, current) => withToggled(checks, current, key, isRange)),
    [update],
  );
  const toggleAll = useCallback(() => update(withAllToggled), [update]);
  const clear = useCallback(() => update(() => NO_CHECKS), [update]);
  return { keys, rows: checked, toggle, toggleAll, clear };
}
