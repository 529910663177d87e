import { CalendarClock, Check, ChevronDown } from "lucide-react";
import { useState } from "react";
import { Button, buttonClass } from "../design/button.tsx";
import { classNames } from "../design/class-names.ts";
import { Field, TextInput } from "../design/field.tsx";
import { Popover } from "../design/menu.tsx";

import {
  boundsOf,
  fromLocalInput,
  type TimeBounds,
  type TimeRange,
  timeRangeLabel,
  toLocalInput,
} from "./time-range.ts";

const SPANS = ["15m", "1h", "24h", "7d", "30d"] as const;

interface TimeRangePickerProps {
  readonly value: TimeRange;
  readonly onChange: (range: TimeRange) => void;
  /** Offers "All time". */
  readonly hasAll?: boolean;
  /** Why the platform rejected the range. */
  readonly problem?: string | undefined;
}

/** Chooses a range that ends now, or a fixed one. */
export function TimeRangePicker({
  value,
  onChange,
  hasAll = false,
  problem,
}: TimeRangePickerProps) {
  const [isOpen, setOpen] = useState(false);
  const choose = (range: TimeRange) => {
    setOpen(false);
    onChange(range);
  };
  const label = timeRangeLabel(value);
  return (
    <Popover
      label="Time range"
      open={isOpen}
      onOpenChange={setOpen}
      trigger={
        <button
          type="button"
          aria-label={`Time range: ${label}${problem === undefined ? "" : `. ${problem}`}`}
          title={problem}
          className={classNames(
            buttonClass("plain"),
            "min-w-0",
            problem !== undefined && "border-danger! bg-danger-soft! text-danger!",
          )}
        >
          <CalendarClock size={15} aria-hidden className="shrink-0 text-ink-soft" />
          <span className="truncate tabular-nums">{label}</span>
          <ChevronDown size={14} aria-hidden className="shrink-0 text-ink-soft" />
        </button>
      }
    >
      <div className="flex gap-3 max-sm:flex-col">
        <ul className="flex w-40 flex-col gap-0.5">
          {[...SPANS, ...(hasAll ? ["all"] : [])].map((span) => (
            <li key={span}>
              <SpanButton
                span={span}
                isChosen={value.kind === "last" && value.span === span}
                onChoose={choose}
              />
            </li>
          ))}
        </ul>
        <div className="border-line max-sm:border-t max-sm:pt-3 sm:border-l sm:pl-3">
          <CustomRangeForm bounds={boundsOf(value, Date.now())} onApply={choose} />
        </div>
      </div>
    </Popover>
  );
}

function SpanButton({
  span,
  isChosen,
  onChoose,
}: {
  readonly span: string;
  readonly isChosen: boolean;
  readonly onChoose: (range: TimeRange) => void;
}) {
  const range = { kind: "last", span } as const;
  return (
    <button
      type="button"
      aria-pressed={isChosen}
      onClick={() => onChoose(range)}
      className="flex h-8 w-full items-center justify-between gap-2 rounded-md px-2 hover:bg-sunken aria-pressed:font-medium aria-pressed:text-accent"
    >
      {timeRangeLabel(range)}
      {isChosen && <Check size={15} aria-hidden />}
    </button>
  );
}

interface CustomRangeFormProps {
  /** The initial values. */
  readonly bounds: TimeBounds;
  readonly onApply: (range: TimeRange) => void;
}

/** A fixed range in local time; either end may be open. */
function CustomRangeForm({ bounds, onApply }: CustomRangeFormProps) {
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
        description="Local time. Leave empty for no limit."
        problem={isBackwards ? "End must be after start." : undefined}
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
