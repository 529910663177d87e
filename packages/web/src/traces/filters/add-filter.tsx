import { ListFilter } from "lucide-react";
import { useState } from "react";
import { buttonClass } from "../../design/button.tsx";
import { Popover } from "../../design/menu.tsx";
import { OptionPicker } from "../../design/option-picker.tsx";
import type { TracesSearch } from "../traces-search.ts";
import { FILTER_FIELDS, FILTER_NAMES, type FilterName } from "./filter-fields.ts";
import { ValuePicker } from "./value-picker.tsx";

interface AddFilterProps {
  readonly search: TracesSearch;
  readonly isOpen: boolean;
  readonly onOpenChange: (isOpen: boolean) => void;
  readonly onAdd: (name: FilterName, value: string) => void;
}

/** First what to filter by, then the value. */
export function AddFilter({ search, isOpen, onOpenChange, onAdd }: AddFilterProps) {
  const [name, setName] = useState<FilterName | null>(null);
  const onChange = (open: boolean) => {
    setName(null);
    onOpenChange(open);
  };
  return (
    <Popover
      label={name === null ? "Add a filter" : `Filter by ${FILTER_FIELDS[name].label}`}
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
            detail: FILTER_FIELDS[each].sign === "≥" ? "at least" : "is",
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
