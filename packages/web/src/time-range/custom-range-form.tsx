import { useState } from "react";
import { Button } from "../design/button.tsx";
import { Field, TextInput } from "../design/field.tsx";
import { fromLocalInput, toLocalInput } from "./local-time.ts";
import type { TimeBounds, TimeRange } from "./time-range.ts";

interface CustomRangeFormProps {
  /** What the inputs begin with. */
  readonly bounds: TimeBounds;
  readonly onApply: (range: TimeRange) => void;
}

/** A range from one time to another, where the reader is; either may be left open. */
export function CustomRangeForm({ bounds, onApply }: CustomRangeFormProps) {
  const [fromText, setFromText] = useState(() => toLocalInput(bounds.from));
  const [toText, setToText] = useState(() => toLocalInput(bounds.to));
  const from = fromLocalInput(fromText);
  const to = fromLocalInput(toText);
  const isBackwards = from !== undefined && to !== undefined && from >= to;
  return (
    <form
      className="flex w-60 flex-col gap-2.5"
      onSubmit={(event) => {
        event.preventDefault();
        onApply({ kind: "fixed", ...(from && { from }), ...(to && { to }) });
      }}
    >
      <Field label="From">
        {(ids) => (
          <TextInput
            {...ids}
            type="datetime-local"
            step={1}
            value={fromText}
            onChange={(event) => setFromText(event.target.value)}
          />
        )}
      </Field>
      <Field
        label="To"
        description="Your local time. Leave one empty to keep that end open."
        problem={isBackwards ? "The end is not after the beginning." : undefined}
      >
        {(ids) => (
          <TextInput
            {...ids}
            type="datetime-local"
            step={1}
            value={toText}
            onChange={(event) => setToText(event.target.value)}
          />
        )}
      </Field>
      <Button
        type="submit"
        look="primary"
        disabled={isBackwards || (from === undefined && to === undefined)}
      >
        Apply
      </Button>
    </form>
  );
}
