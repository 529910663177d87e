import type { RefObject } from "react";
import { Button } from "../../design/button.tsx";
import { type TracesSearch, withFilter, withoutFilters } from "../traces-search.ts";
import { AddFilter } from "./add-filter.tsx";
import { FilterChip } from "./filter-chip.tsx";
import { chipsOf } from "./filter-fields.ts";
import { SearchBox } from "./search-box.tsx";

interface FilterBarProps {
  readonly search: TracesSearch;
  readonly problems: ReadonlyMap<string, string>;
  readonly searchInput: RefObject<HTMLInputElement | null>;
  readonly isAdding: boolean;
  readonly onAdding: (isAdding: boolean) => void;
  /** What is typed replaces the address; what is chosen can be gone back from. */
  readonly onChange: (search: TracesSearch, how: "typed" | "chosen") => void;
}

/** Search, and filters as chips. */
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
    </div>
  );
}
