import { useQuery } from "@tanstack/react-query";
import { facetsQuery } from "../../api/facets.ts";
import { usePlatform } from "../../api/platform-context.tsx";
import { OptionPicker, type PickerOption } from "../../design/option-picker.tsx";
import { formatCount } from "../../format/format-count.ts";
import type { TracesSearch } from "../traces-search.ts";
import { facetQuery } from "./facet-query.ts";
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
  const facets = useQuery({
    ...facetsQuery(client, grouping ?? "name", facetQuery(search, name)),
    enabled: grouping !== undefined,
  });
  const options: readonly PickerOption[] = [
    ...(choices ?? usual ?? []).map((each) => ({ value: each, label: shownValue(name, each) })),
    ...(facets.data ?? []).map((facet) => ({
      value: facet.value,
      label: facet.value,
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
