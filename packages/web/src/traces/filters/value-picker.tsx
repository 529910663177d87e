import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { facetsQuery } from "../../api/facets.ts";
import { usePlatform } from "../../api/platform-context.tsx";
import { OptionPicker, type PickerOption } from "../../design/option-picker.tsx";
import { formatCount } from "../../format/format-count.ts";
import { boundsOf, parseTimeRange } from "../../time-range/time-range.ts";
import { boundedRange } from "../histogram/histogram-range.ts";
import { filtersOf, type TracesSearch } from "../traces-search.ts";
import { FILTER_FIELDS, type FilterName, filterText, shownValue } from "./filter-fields.ts";

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
  const [bounds] = useState(() =>
    boundsOf(boundedRange(parseTimeRange(search, "all")), Date.now()),
  );
  const facets = useQuery({
    ...facetsQuery(client, grouping ?? "name", { ...others, ...bounds }),
    enabled: grouping !== undefined,
  });
  const options: readonly PickerOption[] = [
    ...(choices ?? usual ?? []).map((each) => ({ value: each, label: shownValue(name, each) })),
    ...(facets.data ?? []).map((facet) => ({
      value: facet.value,
      label: shownValue(name, facet.value),
      detail: formatCount(facet.count),
    })),
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
      empty={facets.isFetching ? "Looking for values…" : hint}
      onPick={onPick}
    />
  );
}
