import { classNames } from "../design/class-names.ts";
import { PERCENTILES, type Percentile } from "./dashboard-search.ts";

interface PercentilePickerProps {
  readonly value: Percentile;
  readonly onChange: (percentile: Percentile) => void;
}

/** Which percentile the lines of the groups show. */
export function PercentilePicker({ value, onChange }: PercentilePickerProps) {
  return (
    <fieldset className="flex rounded-md bg-sunken p-0.5">
      <legend className="sr-only">Percentile</legend>
      {PERCENTILES.map((each) => (
        <button
          key={each}
          type="button"
          aria-pressed={each === value}
          onClick={() => onChange(each)}
          className={classNames(
            "h-6 rounded px-2 text-xs font-medium",
            each === value ? "bg-raised text-ink shadow-sm" : "text-ink-soft hover:text-ink",
          )}
        >
          {each}
        </button>
      ))}
    </fieldset>
  );
}
