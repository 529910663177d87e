import { ListPlus } from "lucide-react";
import { Button } from "../design/button.tsx";
import type { CheckedRows } from "./rows/checked-rows.ts";

/** The calls that are added to a test set at once: each is read before. */
export const MOST_ADDED = 500;

interface SelectionBarProps {
  readonly checked: CheckedRows;
  /** How many rows are listed. */
  readonly listed: number;
  readonly onAdd: () => void;
}

/** Below the list: how many rows are selected, and what can be done with them. */
export function SelectionBar({ checked, listed, onAdd }: SelectionBarProps) {
  const count = checked.rows.length;
  return (
    <section
      aria-label="Selection"
      className="flex flex-wrap items-center gap-2 border-t border-line bg-accent-soft px-4 py-2"
    >
      <p role="status" className="mr-auto font-medium tabular-nums">
        {count.toLocaleString("en")} selected
      </p>
      <Button size="small" onClick={checked.clear}>
        Clear
      </Button>
      {count < listed && (
        <Button size="small" onClick={checked.toggleAll}>
          Select all {listed.toLocaleString("en")}
        </Button>
      )}
      <Button size="small" look="primary" refusal={additionRefusal(count)} onClick={onAdd}>
        <ListPlus size={14} aria-hidden />
        Add to test set
      </Button>
    </section>
  );
}

/** Why so many rows cannot be added at once; null if they can. */
export function additionRefusal(count: number): string | null {
  if (count <= MOST_ADDED) return null;
  return `Select ${MOST_ADDED} or fewer to add to a test set (${count.toLocaleString("en")} selected).`;
}
