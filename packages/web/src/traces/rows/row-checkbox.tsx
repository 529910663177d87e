import { useId } from "react";
import { Checkbox } from "../../design/field.tsx";

interface RowCheckboxProps {
  /** Read out. */
  readonly label: string;
  /** "some" is for a checkbox of several rows. */
  readonly state: "all" | "some" | "none";
  readonly isTabStop: boolean;
  readonly onToggle: (isRange: boolean) => void;
}

/** Selects rows. It takes clicks beside the box too: they would open the row. */
export function RowCheckbox({ label, state, isTabStop, onToggle }: RowCheckboxProps) {
  const id = useId();
  return (
    <label
      htmlFor={id}
      className="relative z-10 -ml-2 flex size-8 cursor-pointer items-center justify-center select-none"
    >
      <Checkbox
        id={id}
        aria-label={label}
        checked={state === "all"}
        tabIndex={isTabStop ? 0 : -1}
        ref={(box) => {
          if (box !== null) box.indeterminate = state === "some";
        }}
        // A change event does not tell whether Shift is held.
        onClick={(event) => onToggle(event.shiftKey)}
        onChange={() => undefined}
      />
    </label>
  );
}
