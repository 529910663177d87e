import type { ConfigFieldSchema } from "@agate/protocol";
import { useState } from "react";
import type { FieldIds } from "../design/field.tsx";
import { NumberBox, parseNumber } from "../design/number-box.tsx";
import { boundTexts, sliderRange, stepNumber } from "./number-range.ts";
import "./slider.css";
import { clamp, isEven, type SliderRange, snap, stepFrom } from "./number-range.ts";

interface NumberFieldProps {
  readonly field: ConfigFieldSchema;
  readonly label: string;
  readonly ids: FieldIds;
  readonly value: unknown;
  /** Only the box: the buttons of a list item leave no room for a slider. */
  readonly isCompact?: boolean | undefined;
  readonly onChange: (value: unknown) => void;
}

/** In characters, both bounds together. */
const LONGEST_BESIDE = 11;

/** A slider with a number box; only the box if a bound is missing. */
export function NumberField(props: NumberFieldProps) {
  const { field, label, ids, value, isCompact = false, onChange } = props;
  const [typed, setTyped] = useState("");
  const range = isCompact ? null : sliderRange(field);
  // "1.50" stays as typed while it equals the value.
  const text = Object.is(readNumber(typed), value) ? typed : numberText(value);
  const box = (
    <NumberBox
      {...ids}
      text={text}
      onText={(next) => {
        setTyped(next);
        onChange(readNumber(next));
      }}
      onStep={(steps) => onChange(stepNumber(field, value, steps))}
      lowest={field.minimum ?? field.exclusiveMinimum}
      highest={field.maximum ?? field.exclusiveMaximum}
    />
  );
  const [lowest, highest] = boundTexts(field);
  if (range === null) {
    return (
      <div className="flex items-center gap-2">
        <div className={isCompact ? "w-28 shrink-0" : "w-40 shrink-0"}>{box}</div>
        <Bound text={[lowest, highest].filter((text) => text !== undefined).join(" … ")} />
      </div>
    );
  }
  const slider = (
    <Slider
      label={`${label}, slider`}
      range={range}
      value={typeof value === "number" ? value : Number(field.default)}
      isInvalid={ids["aria-invalid"] === true}
      onChange={onChange}
    />
  );
  // Long bounds beside the slider would leave it no room.
  const isBelow = `${lowest}${highest}`.length > LONGEST_BESIDE;
  return (
    <div className="flex items-center gap-2">
      {isBelow ? (
        <div className="flex min-w-0 flex-1 flex-col">
          {slider}
          <div className="flex justify-between gap-2">
            <Bound text={lowest} />
            <Bound text={highest} />
          </div>
        </div>
      ) : (
        <>
          <Bound text={lowest} />
          {slider}
          <Bound text={highest} />
        </>
      )}
      <div className="w-28 shrink-0">{box}</div>
    </div>
  );
}

/** Hidden from screen readers: the number box has its bounds already. */
function Bound({ text }: { readonly text: string | undefined }) {
  return (
    <span aria-hidden className="text-xs whitespace-nowrap text-ink-soft tabular-nums">
      {text}
    </span>
  );
}

/** The number, or the typed text if it is not one. */
function readNumber(text: string): unknown {
  return parseNumber(text) ?? text;
}

function numberText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

interface SliderProps {
  readonly label: string;
  readonly range: SliderRange;
  readonly value: number;
  readonly isInvalid: boolean;
  readonly onChange: (value: number) => void;
}

const STEPS: Readonly<Record<string, number>> = {
  ArrowRight: 1,
  ArrowUp: 1,
  ArrowLeft: -1,
  ArrowDown: -1,
  PageUp: 10,
  PageDown: -10,
};

/** A native slider that stays on the positions of its range. */
function Slider({ label, range, value, isInvalid, onChange }: SliderProps) {
  const { min, max, step } = range;
  const isBeyond = value < min || value > max;
  const part = max > min ? (clamp(value, min, max) - min) / (max - min) : 0;
  return (
    <input
      type="range"
      aria-label={label}
      data-problem-beside={isInvalid || undefined}
      // A valid value may lie beyond the last position: an exclusive bound is a step further.
      aria-valuetext={isInvalid && isBeyond ? `${value}, out of range` : String(value)}
      min={min}
      max={max}
      // If the bounds are not multiples of the step, the browser could never reach the upper one.
      step={isEven(range) && step > 0 ? step : "any"}
      value={value}
      onChange={(event) => onChange(snap(range, event.target.valueAsNumber))}
      onKeyDown={(event) => {
        const steps = STEPS[event.key];
        if (steps === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
        event.preventDefault();
        onChange(stepFrom(range, value, steps));
      }}
      style={{ backgroundSize: `${part * 100}% 4px, 100% 4px` }}
      className="slider min-w-0 flex-1"
    />
  );
}
