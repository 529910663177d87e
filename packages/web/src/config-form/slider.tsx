import "./slider.css";
import { clamp, isEven, type SliderRange, snap, stepFrom } from "./slider-range.ts";

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

/** The browser's own slider; it is never at a position that the range does not have. */
export function Slider({ label, range, value, isInvalid, onChange }: SliderProps) {
  const { min, max, step } = range;
  const isBeyond = value < min || value > max;
  const part = max > min ? (clamp(value, min, max) - min) / (max - min) : 0;
  return (
    <input
      type="range"
      aria-label={label}
      data-problem-beside={isInvalid || undefined}
      // A value beyond the last step may be taken all the same: bounds that are excluded lie a step further.
      aria-valuetext={isInvalid && isBeyond ? `${value}, out of range` : String(value)}
      min={min}
      max={max}
      // Where the bounds are no multiples of the step, the browser would never reach the upper one.
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
