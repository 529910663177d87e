import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { TraceRow } from "../../api/trace-row.ts";

/** The selected row and the scroll position of a list, restored on return from a trace. */
export interface SelectedRow {
  /** The index of the selected row; -1 for none. */
  readonly index: number;
  readonly select: (key: string | null) => void;
  /** The scroll position to start with. */
  readonly initialTop: number;
  readonly noteTop: (top: number) => void;
}

/** @param list Identifies the list. */
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

/** The selected row and the scroll position of a list. */
interface Place {
  readonly selected: string | null;
  readonly top: number;
}

const BEGINNING: Place = { selected: null, top: 0 };

/**
 * The place in this list when it was left, and a function that stores it, for this tab only.
 *
 * @param list Identifies the list.
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
