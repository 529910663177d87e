import { useState } from "react";
import { type ColumnId, formatColumnChoice, parseColumnChoice } from "./trace-columns.ts";

const KEY = "agate-trace-columns";

/** The columns that this reader has chosen, here or before. */
export function useChosenColumns() {
  const [chosen, setChosen] = useState(() => parseColumnChoice(localStorage.getItem(KEY)));
  const choose = (columns: ReadonlySet<ColumnId>) => {
    localStorage.setItem(KEY, formatColumnChoice(columns));
    setChosen(columns);
  };
  return [chosen, choose] as const;
}
