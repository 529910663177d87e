import { useLocation } from "@tanstack/react-router";
import { useCallback, useState } from "react";

const KEY = "agate-list-place";

/** Where somebody was in a list: which row, how far down. */
export interface Place {
  readonly selected: string | null;
  readonly top: number;
}

const BEGINNING: Place = { selected: null, top: 0 };

/**
 * Where one was when one left the list of this address for a trace, to come back to; and how to keep
 * it. For this tab only.
 */
export function usePlace(): readonly [Place, (place: Partial<Place>) => void] {
  const href = useLocation({ select: (location) => location.href });
  const [left] = useState(() => readPlace(href));
  const keep = useCallback(
    (place: Partial<Place>) => {
      const kept = { ...readPlace(href), ...place };
      sessionStorage.setItem(KEY, JSON.stringify({ href, ...kept }));
    },
    [href],
  );
  return [left, keep];
}

function readPlace(href: string): Place {
  const kept = JSON.parse(sessionStorage.getItem(KEY) ?? "{}") as Partial<Place & { href: string }>;
  if (kept.href !== href) return BEGINNING;
  return { selected: kept.selected ?? null, top: kept.top ?? 0 };
}
