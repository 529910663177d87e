import type { ReactNode } from "react";
import { useState } from "react";
import { Button } from "../design/button.tsx";

interface ShowMoreProps<T> {
  readonly items: readonly T[];
  /** How many are shown at once. */
  readonly step: number;
  /** What they are: "messages". */
  readonly what: string;
  readonly children: (shown: readonly T[]) => ReactNode;
}

/** The first of a list, and the others on demand: a recorded list may have any length. */
export function ShowMore<T>({ items, step, what, children }: ShowMoreProps<T>) {
  const [limit, setLimit] = useState(step);
  const left = items.length - limit;
  return (
    <>
      {children(items.slice(0, limit))}
      {left > 0 && (
        <Button size="small" className="m-1" onClick={() => setLimit(limit + step)}>
          Show {Math.min(step, left).toLocaleString("en")} more of {left.toLocaleString("en")}{" "}
          {what}
        </Button>
      )}
    </>
  );
}
