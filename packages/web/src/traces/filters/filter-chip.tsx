import { X } from "lucide-react";
import { useState } from "react";
import { classNames } from "../../design/class-names.ts";
import { Popover } from "../../design/menu.tsx";
import type { TracesSearch } from "../traces-search.ts";
import { type FilterChip as Chip, FILTER_FIELDS, shownValue } from "./filter-fields.ts";
import { ValuePicker } from "./value-picker.tsx";

interface FilterChipProps {
  readonly chip: Chip;
  readonly search: TracesSearch;
  /** What the platform has against it. */
  readonly problem: string | undefined;
  /** An empty value takes the filter away. */
  readonly onChange: (value: string) => void;
}

/** A filter that is set: click to change it, × to take it away. */
export function FilterChip({ chip, search, problem, onChange }: FilterChipProps) {
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
        label={`Change the filter ${chip.text}`}
        open={isOpen}
        onOpenChange={setOpen}
        trigger={
          <button
            type="button"
            aria-label={`Change filter: ${chip.text}${isWrong ? `. ${problem}` : ""}`}
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
