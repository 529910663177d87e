import { useQuery } from "@tanstack/react-query";
import { analyticsQuery } from "../../api/analytics.ts";
import { usePlatform } from "../../api/platform-context.tsx";
import { OptionPicker, type PickerOption } from "../../design/option-picker.tsx";
import { formatCount } from "../../format/format-count.ts";
import { parseTimeRange } from "../../time-range/time-range.ts";
import { analyticsTime } from "../histogram/histogram-range.ts";
import { filtersOf, type TracesSearch } from "../traces-search.ts";
import { FILTER_FIELDS, type FilterName, filterText, shownValue } from "./filter-fields.ts";

const MOST_SUGGESTED = 50;

interface ValuePickerProps {
  readonly name: FilterName;
  readonly value: string;
  readonly search: TracesSearch;
  readonly onPick: (value: string) => void;
}

/** Chooses the value of a filter: one that traces have, or any other. */
export function ValuePicker({ name, value, search, onPick }: ValuePickerProps) {
  const { label, hint, choices, usual, grouping } = FILTER_FIELDS[name];
  const client = usePlatform();
  const { [name]: _own, ...others } = filtersOf(search);
  // What is suggested: the values of the traces that every other filter lets through.
  const groups = useQuery({
    ...analyticsQuery(client, {
      time: analyticsTime(parseTimeRange(search, "all")),
      filters: others,
      groupBy: grouping ?? null,
      groupLimit: MOST_SUGGESTED,
    }),
    enabled: grouping !== undefined,
  });
  const options: readonly PickerOption[] = [
    ...(choices ?? usual ?? []).map((each) => ({ value: each, label: shownValue(name, each) })),
    ...(groups.data?.groups ?? []).flatMap(({ key, count }) =>
      key === null ? [] : [{ value: key, label: key, detail: formatCount(count) }],
    ),
  ];
  return (
    <OptionPicker
      key={name}
      label={label}
      placeholder={hint}
      options={options}
      initialText={value}
      // A value that the platform does not know is its to refuse; these it tells beforehand.
      {...(choices === undefined && { other: (text: string) => filterText(name, text) })}
      empty={groups.isFetching ? "Looking for values…" : hint}
      onPick={onPick}
    />
  );
}
