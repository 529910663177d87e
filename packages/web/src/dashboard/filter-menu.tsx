import { useQuery } from "@tanstack/react-query";
import { Check, ChevronDown, X } from "lucide-react";
import { type AnalyticsTime, analyticsQuery } from "../api/analytics.ts";
import { usePlatform } from "../api/platform-context.tsx";
import { buttonClass } from "../design/button.tsx";
import { classNames } from "../design/class-names.ts";
import { IconButton } from "../design/icon-button.tsx";
import { Menu, MenuHeading, MenuItem } from "../design/menu.tsx";
import { formatCount } from "../format/format-count.ts";
import type { DashboardFilters, Split } from "./dashboard-search.ts";

const MOST_VALUES = 100;

const CHOSEN_CLASS =
  "inline-flex h-8 items-center rounded-l-md border border-accent bg-accent-soft px-3 font-medium text-accent";

interface FilterMenuProps {
  readonly name: Split;
  readonly filters: DashboardFilters;
  readonly time: AnalyticsTime;
  readonly onChange: (value: string | undefined) => void;
}

/** Chooses one of the values that there were calls with. */
export function FilterMenu(props: FilterMenuProps) {
  const { name, filters, onChange } = props;
  const value = filters[name];
  const label = `${name[0]?.toUpperCase()}${name.slice(1)}`;
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
            <span className="truncate">{value === undefined ? label : `${label}: ${value}`}</span>
            {value === undefined && <ChevronDown size={14} aria-hidden className="shrink-0" />}
          </button>
        }
      >
        <MenuHeading>Only calls with this {name}</MenuHeading>
        <FilterItems {...props} />
      </Menu>
      {value !== undefined && (
        <IconButton
          icon={X}
          label={`Remove the filter ${label}: ${value}`}
          onClick={() => onChange(undefined)}
          className="h-8 rounded-l-none border border-l-0 border-accent bg-accent-soft text-accent"
        />
      )}
    </span>
  );
}

function FilterItems({ name, filters, time, onChange }: FilterMenuProps) {
  const { [name]: value, ...others } = filters;
  const { data, error } = useQuery(
    analyticsQuery(usePlatform(), {
      time,
      filters: others,
      groupBy: name,
      groupLimit: MOST_VALUES,
    }),
  );
  if (data === undefined) {
    return (
      <p className="px-2 py-1.5 text-ink-soft">{error === null ? "Loading …" : error.message}</p>
    );
  }
  const groups = (data.groups ?? []).flatMap(({ key, count }) =>
    key === null ? [] : [{ key, count }],
  );
  if (groups.length === 0) {
    return <p className="max-w-60 px-2 py-1.5 text-ink-soft">No call in this time has one.</p>;
  }
  return groups.map(({ key, count }) => (
    <MenuItem key={key} onSelect={() => onChange(key)}>
      <Check
        size={15}
        aria-label={key === value ? "chosen" : undefined}
        className={key === value ? "shrink-0 text-accent" : "invisible shrink-0"}
      />
      <span className="max-w-72 flex-1 truncate">{key}</span>
      <span className="text-ink-soft tabular-nums">{formatCount(count)}</span>
    </MenuItem>
  ));
}
