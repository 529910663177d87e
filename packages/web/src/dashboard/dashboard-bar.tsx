import { useId } from "react";
import type { AnalyticsTime } from "../api/analytics.ts";
import { Select } from "../design/select.tsx";
import { type DashboardSearch, filtersOf, SPLITS, splitOf } from "./dashboard-search.ts";
import { FilterMenu } from "./filter-menu.tsx";

interface DashboardBarProps {
  readonly search: DashboardSearch;
  readonly time: AnalyticsTime;
  readonly onChange: (changes: DashboardSearch) => void;
}

/** What is counted, and what it is split by. */
export function DashboardBar({ search, time, onChange }: DashboardBarProps) {
  const splitId = useId();
  return (
    <div className="flex flex-wrap items-center gap-2 px-4 pb-3 md:px-6">
      {SPLITS.map((name) => (
        <FilterMenu
          key={name}
          name={name}
          filters={filtersOf(search)}
          time={time}
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
