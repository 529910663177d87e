import { useLocation } from "@tanstack/react-router";
import { useCallback, useState } from "react";
import type { TraceRow } from "../../api/trace-row.ts";

const KEY = "agate-selected-trace";

/** Which row the keyboard is at; kept for the way back to this list. */
export interface Selection {
  /** Of the rows; -1 where none is selected. */
  readonly index: number;
  select(key: string | null): void;
}

/** @example useSelection(rows).select(rows[0].key) */
export function useSelection(rows: readonly TraceRow[]): Selection {
  // Each entry of the browser's history has its own: Back finds it again, a new visit does not.
  const visit = useLocation({ select: ({ state }) => state.__TSR_key ?? "" });
  const [selected, setSelected] = useState(() => readKept(visit));
  const index = selected === null ? -1 : rows.findIndex(({ key }) => key === selected);
  const select = useCallback(
    (key: string | null) => {
      setSelected(key);
      sessionStorage.setItem(KEY, JSON.stringify([visit, key]));
    },
    [visit],
  );
  return { index, select };
}

function readKept(visit: string): string | null {
  const [keptVisit, key] = JSON.parse(sessionStorage.getItem(KEY) ?? "[]") as (string | null)[];
  return keptVisit === visit && key !== undefined ? key : null;
}
