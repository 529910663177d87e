import { formatCompactCount } from "@agate/protocol/format";
import { useQuery } from "@tanstack/react-query";
import { Check, ChevronDown, X } from "lucide-react";
import { useId, useState } from "react";
import { facetsQuery } from "../api/analytics.ts";
import { usePlatform } from "../api/platform-context.tsx";
import { buttonClass, IconButton } from "../design/button.tsx";
import { classNames } from "../design/class-names.ts";
import { Select } from "../design/field.tsx";
import { Menu, MenuHeading, MenuItem } from "../design/menu.tsx";
import { shownName } from "../spans/shown-name.ts";
import { TrafficSelect, trafficOf } from "../spans/traffic-select.tsx";
import { boundsOf, type TimeRange } from "../time-range/time-range.ts";
import {
  type DashboardFilters,
  type DashboardSearch,
  filtersOf,
  rangeOf,
  SPLIT_LABELS,
  SPLITS,
  type Split,
  splitOf,
} from "./dashboard-search.ts";

interface DashboardBarProps {
  readonly search: DashboardSearch;
  readonly onChange: (changes: DashboardSearch) => void;
}

/** The filters, and the grouping. */
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
      <div className="flex flex-wrap items-center gap-2 sm:ml-auto">
        <TrafficSelect value={trafficOf(search)} onChange={(traffic) => onChange({ traffic })} />
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
              {SPLIT_LABELS[each]}
            </option>
          ))}
          <option value="none">None</option>
        </Select>
      </div>
    </div>
  );
}

const CHOSEN_CLASS =
  "inline-flex h-8 items-center rounded-l-md border border-accent bg-accent-soft px-3 font-medium text-accent";

interface FilterMenuProps {
  readonly name: Split;
  readonly filters: DashboardFilters;
  readonly range: TimeRange;
  readonly onChange: (value: string | undefined) => void;
}

/** Filters by one of the values that occur. */
function FilterMenu(props: FilterMenuProps) {
  const { name, filters, onChange } = props;
  const value = filters[name];
  const label = SPLIT_LABELS[name];
  const chosen = value === undefined ? label : `${label}: ${shownName(value)}`;
  return (
    <span className="inline-flex max-w-full items-center">
      <Menu
        align="start"
        trigger={
          <button
            type="button"
            className={classNames(
              "min-w-0",
              value === undefined ? buttonClass("plain") : CHOSEN_CLASS,
            )}
          >
            <span className="truncate">{chosen}</span>
            {value === undefined && <ChevronDown size={14} aria-hidden className="shrink-0" />}
          </button>
        }
      >
        <MenuHeading>Filter by {name}</MenuHeading>
        <FilterItems {...props} />
      </Menu>
      {value !== undefined && (
        <IconButton
          icon={X}
          label={`Remove filter: ${chosen}`}
          onClick={() => onChange(undefined)}
          className="h-8 rounded-l-none border border-l-0 border-accent bg-accent-soft text-accent"
        />
      )}
    </span>
  );
}

function FilterItems({ name, filters, range, onChange }: FilterMenuProps) {
  const { [name]: chosen, ...others } = filters;
  const [bounds] = useState(() => boundsOf(range, Date.now()));
  const { data, error } = useQuery(facetsQuery(usePlatform(), name, { ...others, ...bounds }));
  if (data === undefined) {
    return (
      <p className="px-2 py-1.5 text-ink-soft">{error === null ? "Loading…" : error.message}</p>
    );
  }
  if (data.length === 0) {
    return <p className="max-w-60 px-2 py-1.5 text-ink-soft">No values in this period.</p>;
  }
  return data.map(({ value, count }) => (
    <MenuItem key={value} onSelect={() => onChange(value)}>
      <Check
        size={15}
        aria-label={value === chosen ? "selected" : undefined}
        className={value === chosen ? "shrink-0 text-accent" : "invisible shrink-0"}
      />
      <bdi className="max-w-72 flex-1 truncate">{shownName(value)}</bdi>
      <span className="text-ink-soft tabular-nums">{formatCompactCount(count)}</span>
    </MenuItem>
  ));
}
