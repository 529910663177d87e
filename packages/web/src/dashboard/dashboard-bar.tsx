import { useId } from "react";
import { Select } from "../design/field.tsx";
import { type DashboardSearch, filtersOf, rangeOf, SPLITS, splitOf } from "./dashboard-search.ts";
import { FilterMenu } from "./filter-menu.tsx";

interface DashboardBarProps {
  readonly search: DashboardSearch;
  readonly onChange: (changes: DashboardSearch) => void;
}

/** What is counted, and what it is split by. */
export function DashboardBar({ search, onChange }: DashboardBarProps) {
  const splitId = useId();
  return (
    <div className="flex flex-wrap items-center gap-2 px-4 pb-3 md:px-6">
      {SPLITS.map((name) => (
        <FilterMenu
          key={name}
          name={name}
          filters={filtersOf(search)}
          range={rangeOf(search)}
          onChange={(value) => onChange({ [name]: value ?? "" })}
        />
      ))}
      <div className="flex items-center gap-2 sm:ml-auto">
        <label htmlFor={splitId} className="text-ink-soft">
          Split by
        </label>
        <Select
          id={splitId}
          value={splitOf(search) ?? "none"}
          onChange={(event) => onChange({ by: event.target.value })}
        >
          {SPLITS.map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
          <option value="none">nothing</option>
        </Select>
      </div>
    </div>
  );
}
