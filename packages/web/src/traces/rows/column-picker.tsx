import { Columns3 } from "lucide-react";
import { useState } from "react";
import { IconButton } from "../../design/button.tsx";
import { Popover } from "../../design/menu.tsx";
import {
  ALWAYS_SHOWN,
  COLUMNS_KEY,
  type ColumnId,
  formatColumnChoice,
  parseColumnChoice,
  TRACE_COLUMNS,
} from "./trace-columns.ts";

interface ColumnPickerProps {
  readonly chosen: ReadonlySet<ColumnId>;
  readonly onChange: (chosen: ReadonlySet<ColumnId>) => void;
}

/** Chooses the columns of the list. */
export function ColumnPicker({ chosen, onChange }: ColumnPickerProps) {
  const toggle = (id: ColumnId) =>
    onChange(new Set(chosen.has(id) ? [...chosen].filter((each) => each !== id) : [...chosen, id]));
  return (
    <Popover
      label="Columns"
      trigger={<IconButton icon={Columns3} label="Columns" className="max-sm:hidden" />}
    >
      <fieldset className="flex flex-col">
        <legend className="px-1 pb-1 text-xs font-medium text-ink-soft">
          Columns (hidden when narrow)
        </legend>
        {TRACE_COLUMNS.filter(({ id }) => !ALWAYS_SHOWN.includes(id)).map(({ id, label }) => (
          <label key={id} className="flex h-7 items-center gap-2 rounded-md px-1 hover:bg-sunken">
            <input
              type="checkbox"
              className="accent-accent"
              checked={chosen.has(id)}
              onChange={() => toggle(id)}
            />
            {label}
          </label>
        ))}
      </fieldset>
    </Popover>
  );
}

/** The chosen columns, kept in the browser. */
export function useChosenColumns() {
  const [chosen, setChosen] = useState(() => parseColumnChoice(localStorage.getItem(COLUMNS_KEY)));
  const choose = (columns: ReadonlySet<ColumnId>) => {
    localStorage.setItem(COLUMNS_KEY, formatColumnChoice(columns));
    setChosen(columns);
  };
  return [chosen, choose] as const;
}
