import type { ReactNode } from "react";
import { useState } from "react";
import { Button } from "../design/button.tsx";

interface ShowMoreProps<T> {
  readonly items: readonly T[];
  /** How many are shown at first and added per click. */
  readonly step: number;
  /** Which end is shown first. */
  readonly from?: "start" | "end";
  /** @param offset The index of the first shown item. */
  readonly children: (shown: readonly T[], offset: number) => ReactNode;
}

/** A part of a list and a button for more: a recorded list may have any length. */
export function ShowMore<T>({ items, step, from = "start", children }: ShowMoreProps<T>) {
  const [limit, setLimit] = useState(step);
  const left = Math.max(0, items.length - limit);
  const offset = from === "end" ? left : 0;
  const next = Math.min(step, left);
  const more = left > 0 && (
    <Button size="small" className="m-1 self-start" onClick={() => setLimit(limit + step)}>
      Show {next.toLocaleString("en")} {from === "end" ? "earlier" : "more"} (of{" "}
      {items.length.toLocaleString("en")})
    </Button>
  );
  return (
    <>
      {from === "end" && more}
      {children(items.slice(offset, offset + limit), offset)}
      {from === "start" && more}
    </>
  );
}
