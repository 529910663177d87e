import { useCallback, useState } from "react";

const KEY = "agate-list-place";

/** Where somebody was in a list: which row, how far down. */
export interface Place {
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
export function usePlace(list: string): readonly [Place, (place: Partial<Place>) => void] {
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
