import { formatCompactCount } from "@agate/protocol/format";
import { useQuery } from "@tanstack/react-query";
import { ListFilter, X } from "lucide-react";
import type { RefObject } from "react";
import { useState } from "react";
import { facetsQuery, scoreNamesQuery } from "../../api/analytics.ts";
import { usePlatform } from "../../api/platform-context.tsx";
import { Button, buttonClass } from "../../design/button.tsx";
import { classNames } from "../../design/class-names.ts";
import { Popover } from "../../design/menu.tsx";
import { OptionPicker, type PickerOption } from "../../design/option-picker.tsx";
import { TrafficSelect, trafficOf } from "../../spans/traffic-select.tsx";
import { boundsOf, parseTimeRange } from "../../time-range/time-range.ts";
import {
  boundedRange,
  filtersOf,
  type TracesSearch,
  withFilter,
  withoutFilters,
} from "../traces-search.ts";
import {
  type FilterChip as Chip,
  chipsOf,
  FILTER_FIELDS,
  FILTER_NAMES,
  type FilterName,
  filterText,
  scoreConditions,
  shownValue,
} from "./filter-fields.ts";
import { SearchBox } from "./search-box.tsx";

interface FilterBarProps {
  readonly search: TracesSearch;
  readonly problems: ReadonlyMap<string, string>;
  readonly searchInput: RefObject<HTMLInputElement | null>;
  readonly isAdding: boolean;
  readonly onAdding: (isAdding: boolean) => void;
  /** Typing replaces the address; choosing adds an entry to the history. */
  readonly onChange: (search: TracesSearch, how: "typed" | "chosen") => void;
}

/** The search box, and the filters as chips. */
export function FilterBar(props: FilterBarProps) {
  const { search, problems, searchInput, isAdding, onAdding, onChange } = props;
  const chips = chipsOf(search);
  return (
    <div className="flex flex-wrap items-center gap-2 px-4 pb-2.5 md:px-6">
      <SearchBox
        value={search.q ?? ""}
        problem={problems.get("q")}
        inputRef={searchInput}
        onChange={(q) => onChange(withFilter(search, "q", q), "typed")}
      />
      {chips.map((chip) => (
        <FilterChip
          key={chip.name}
          chip={chip}
          search={search}
          problem={problems.get(chip.name)}
          onChange={(value) => onChange(withFilter(search, chip.name, value), "chosen")}
        />
      ))}
      <AddFilter
        search={search}
        isOpen={isAdding}
        onOpenChange={onAdding}
        onAdd={(name, value) => onChange(withFilter(search, name, value), "chosen")}
      />
      {chips.length > 1 && (
        <Button
          look="quiet"
          size="small"
          onClick={() => onChange(withoutFilters(search), "chosen")}
        >
          Clear all
        </Button>
      )}
      <div className="sm:ml-auto">
        <TrafficSelect
          value={trafficOf(search)}
          onChange={(traffic) => onChange(withFilter(search, "traffic", traffic), "chosen")}
        />
      </div>
    </div>
  );
}

interface AddFilterProps {
  readonly search: TracesSearch;
  readonly isOpen: boolean;
  readonly onOpenChange: (isOpen: boolean) => void;
  readonly onAdd: (name: FilterName, value: string) => void;
}

const SIGN_WORDS = { "≥": "at least", is: "is", "": "has" } as const;

/** Chooses a field, then its value. */
function AddFilter({ search, isOpen, onOpenChange, onAdd }: AddFilterProps) {
  const [name, setName] = useState<FilterName | null>(null);
  const onChange = (open: boolean) => {
    setName(null);
    onOpenChange(open);
  };
  return (
    <Popover
      label={name === null ? "Add filter" : `Filter by ${FILTER_FIELDS[name].label}`}
      open={isOpen}
      onOpenChange={onChange}
      trigger={
        <button type="button" className={buttonClass("quiet", "small")}>
          <ListFilter size={14} aria-hidden />
          Add filter
        </button>
      }
    >
      {name === null ? (
        <OptionPicker
          key="names"
          label="Filter by"
          options={FILTER_NAMES.map((each) => ({
            value: each,
            label: FILTER_FIELDS[each].label,
            detail: SIGN_WORDS[FILTER_FIELDS[each].sign ?? ""],
          }))}
          onPick={(picked) => setName(FILTER_NAMES.find((each) => each === picked) ?? null)}
        />
      ) : (
        <ValuePicker
          name={name}
          value={search[name] ?? ""}
          search={search}
          onPick={(value) => {
            onChange(false);
            onAdd(name, value);
          }}
        />
      )}
    </Popover>
  );
}

interface FilterChipProps {
  readonly chip: Chip;
  readonly search: TracesSearch;
  /** Why the platform rejected it. */
  readonly problem: string | undefined;
  /** An empty value removes the filter. */
  readonly onChange: (value: string) => void;
}

/** A filter: click to edit it, × to remove it. */
function FilterChip({ chip, search, problem, onChange }: FilterChipProps) {
  const [isOpen, setOpen] = useState(false);
  const { label, sign } = FILTER_FIELDS[chip.name];
  const isWrong = problem !== undefined;
  return (
    <span
      className={classNames(
        "inline-flex h-8 max-w-full min-w-0 items-center rounded-md border bg-surface",
        isWrong ? "border-danger bg-danger-soft text-danger" : "border-line-strong/50",
      )}
    >
      <Popover
        label={`Edit filter: ${chip.text}`}
        open={isOpen}
        onOpenChange={setOpen}
        trigger={
          <button
            type="button"
            aria-label={`Edit filter: ${chip.text}${isWrong ? `. ${problem}` : ""}`}
            title={problem ?? chip.text}
            className="flex h-full min-w-0 items-center gap-1 rounded-l-md pl-2 hover:bg-sunken"
          >
            <span className={classNames("shrink-0", !isWrong && "text-ink-soft")}>
              {label} {sign}
            </span>{" "}
            <span className="max-w-56 truncate font-medium">
              <bdi>{shownValue(chip.name, chip.value)}</bdi>
            </span>
          </button>
        }
      >
        <ValuePicker
          name={chip.name}
          value={chip.value}
          search={search}
          onPick={(value) => {
            setOpen(false);
            onChange(value);
          }}
        />
      </Popover>
      <button
        type="button"
        aria-label={`Remove filter: ${chip.text}`}
        title="Remove"
        onClick={() => onChange("")}
        className="flex h-full items-center rounded-r-md px-2 hover:bg-sunken"
      >
        <X size={14} aria-hidden />
      </button>
    </span>
  );
}

interface ValuePickerProps {
  readonly name: FilterName;
  readonly value: string;
  readonly search: TracesSearch;
  readonly onPick: (value: string) => void;
}

/** Chooses the value of a filter: a suggested one, or any other. */
function ValuePicker({ name, value, search, onPick }: ValuePickerProps) {
  const { label, hint, choices, usual, grouping } = FILTER_FIELDS[name];
  const client = usePlatform();
  const { [name]: _own, ...others } = filtersOf(search);
  // Suggested are the values of the traces that match all other filters.
  const [bounds] = useState(() =>
    boundsOf(boundedRange(parseTimeRange(search, "all")), Date.now()),
  );
  const facets = useQuery({
    ...facetsQuery(client, grouping ?? "name", { ...others, ...bounds }),
    enabled: grouping !== undefined,
  });
  const scores = useQuery({
    ...scoreNamesQuery(client, { ...others, ...bounds }),
    enabled: name === "score",
  });
  const options: readonly PickerOption[] = [
    ...(choices ?? scoreConditions(scores.data) ?? usual ?? []).map((each) => ({
      value: each,
      label: shownValue(name, each),
    })),
    ...(facets.data ?? []).map((facet) => ({
      value: facet.value,
      label: shownValue(name, facet.value),
      detail: formatCompactCount(facet.count),
    })),
  ];
  return (
    <OptionPicker
      key={name}
      label={label}
      placeholder={hint}
      options={options}
      initialText={value}
      // Free text, unless the values are fixed; the platform rejects invalid ones.
      {...(choices === undefined && { other: (text: string) => filterText(name, text) })}
      empty={facets.isFetching ? "Loading values…" : hint}
      onPick={onPick}
    />
  );
}
