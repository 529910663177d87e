import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { TraceRow } from "../../api/trace-row.ts";

/** Where one is in a list. It is found again when one comes back to it from a trace. */
export interface SelectedRow {
  /** Of the rows; -1 where none is selected. */
  readonly index: number;
  readonly select: (key: string | null) => void;
  /** How far down the list was when it was left. */
  readonly initialTop: number;
  readonly noteTop: (top: number) => void;
}

/** @param list Tells the list from others. */
export function useSelectedRow(list: string, rows: readonly TraceRow[]): SelectedRow {
  const [left, keepPlace] = usePlace(list);
  const [selected, setSelected] = useState(left.selected);
  const topNow = useRef(left.top);
  useEffect(() => () => keepPlace({ top: topNow.current }), [keepPlace]);
  const select = useCallback(
    (key: string | null) => {
      setSelected(key);
      keepPlace({ selected: key });
    },
    [keepPlace],
  );
  const noteTop = useCallback((top: number) => {
    topNow.current = top;
  }, []);
  const index = useMemo(
    () => (selected === null ? -1 : rows.findIndex(({ key }) => key === selected)),
    [rows, selected],
  );
  return { index, select, initialTop: left.top, noteTop };
}

const KEY = "agate-list-place";

/** Where somebody was in a list: which row, how far down. */
interface Place {
  readonly selected: string | null;
  readonly top: number;
}

const BEGINNING: Place = { selected: null, top: 0 };

/**
 * Where one was when one left this list for a trace, to come back to; and how to keep it. For this
 * tab only.
 *
 * @param list Tells the list from others.
 */
function usePlace(list: string): readonly [Place, (place: Partial<Place>) => void] {
  const [left] = useState(() => readPlace(list));
  const keep = useCallback(
    (place: Partial<Place>) => {
      const kept = { ...readPlace(list), ...place };
      sessionStorage.setItem(KEY, JSON.stringify({ list, ...kept }));
    },
    [list],
  );
  return [left, keep];
}

function readPlace(list: string): Place {
  const kept = JSON.parse(sessionStorage.getItem(KEY) ?? "{}") as Partial<Place & { list: string }>;
  if (kept.list !== list) return BEGINNING;
  return { selected: kept.selected ?? null, top: kept.top ?? 0 };
}
