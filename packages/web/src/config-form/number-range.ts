import type { ConfigFieldSchema } from "@agate/protocol";
import { refusedBy } from "@agate/protocol";
import { formatCompactCount } from "@agate/protocol/format";

/** The positions of a slider: both ends and the multiples of the step between them. */
export interface SliderRange {
  readonly min: number;
  readonly max: number;
  readonly step: number;
}

/** Beyond this, an integer's slider has larger steps; the number box still has single ones. */
const MOST_WHOLE_POSITIONS = 10_000;

/**
 * The slider of a field; null if a bound is missing or no number lies between the bounds. An exclusive
 * bound is not a position: the slider starts one step inside.
 */
export function sliderRange(field: ConfigFieldSchema): SliderRange | null {
  const lower = field.minimum ?? field.exclusiveMinimum;
  const upper = field.maximum ?? field.exclusiveMaximum;
  if (lower === undefined || upper === undefined) return null;
  const step = stepWithin(upper - lower, field.type === "integer");
  const { min, max } = limits(field, step);
  // Bounds may be so close or so large that a number has no digits left for a step.
  const isTaken = (value: number) => refusedBy(field, value) === undefined;
  const isRange = min <= max && isTaken(min) && isTaken(max) && Number.isFinite(max - min);
  const hasSteps = step > 0 || min === max;
  return isRange && hasSteps ? { min, max, step } : null;
}

/** The result of the arrow keys in a number box; the default if the value is not a number. */
export function stepNumber(field: ConfigFieldSchema, value: unknown, steps: number): number {
  const step = stepOf(field);
  const { min, max } = limits(field, step);
  if (typeof value !== "number") return clamp(Number(field.default), min, max);
  return stepFrom({ min, max, step }, value, steps);
}

function stepOf(field: ConfigFieldSchema): number {
  if (field.type === "integer") return 1;
  const step = sliderRange(field)?.step;
  if (step !== undefined && step > 0) return step;
  // About a tenth of the default.
  return niceBelow(Math.abs(Number(field.default)) / 10) || 0.1;
}

/** The smallest and largest value of a field; one step inside an exclusive bound. */
function limits(field: ConfigFieldSchema, step: number): { min: number; max: number } {
  const {
    minimum: ge = Number.NEGATIVE_INFINITY,
    exclusiveMinimum: gt = Number.NEGATIVE_INFINITY,
    maximum: le = Number.POSITIVE_INFINITY,
    exclusiveMaximum: lt = Number.POSITIVE_INFINITY,
  } = field;
  return field.type === "integer"
    ? {
        min: Math.max(Math.ceil(ge), Math.floor(gt) + 1),
        max: Math.min(Math.floor(le), Math.ceil(lt) - 1),
      }
    : { min: Math.max(ge, tidy(gt + step)), max: Math.min(le, tidy(lt - step)) };
}

/** The position that many steps from a value, within the bounds. */
export function stepFrom(range: SliderRange, value: number, steps: number): number {
  const { min, max, step } = range;
  if (step === 0) return min;
  const position = value / step;
  // A value between two positions first moves to the next position.
  const from = steps > 0 ? Math.floor(tidy(position)) : Math.ceil(tidy(position));
  return clamp(tidy((from + steps) * step), min, max);
}

/** The position nearest to the pointer. */
export function snap({ min, max, step }: SliderRange, value: number): number {
  if (step === 0 || value - min < step / 2) return min;
  if (max - value < step / 2) return max;
  return clamp(tidy(Math.round(value / step) * step), min, max);
}

export function clamp(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, value));
}

/** Whether steps from `min` reach `max`, so that the browser can handle them. */
export function isEven({ min, max, step }: SliderRange): boolean {
  if (step === 0) return true;
  return Number.isInteger(tidy(min / step)) && Number.isInteger(tidy(max / step));
}

function stepWithin(distance: number, isWhole: boolean): number {
  if (!isWhole) return niceBelow(distance / 100);
  return distance <= MOST_WHOLE_POSITIONS ? 1 : niceBelow(distance / 1000);
}

/** The largest 1, 2 or 5 times a power of ten that is not above the size. */
function niceBelow(size: number): number {
  if (!(size > 0) || !Number.isFinite(size)) return 0;
  const power = 10 ** Math.floor(Math.log10(size));
  const digit = tidy(size / power);
  return tidy((digit >= 5 ? 5 : digit >= 2 ? 2 : 1) * power);
}

/** Rounds off binary fractions: 0.3, not 0.30000000000000004. */
function tidy(value: number): number {
  return Number.isInteger(value) ? value + 0 : Number(value.toPrecision(14));
}

type BoundTexts = readonly [lowest: string | undefined, highest: string | undefined];

/** In characters, without a sign. */
const LONGEST = 8;

/** The bounds of a number, short enough for the ends of a slider. */
export function boundTexts(field: ConfigFieldSchema): BoundTexts {
  const { minimum, exclusiveMinimum, maximum, exclusiveMaximum } = field;
  const isOneSided =
    (minimum ?? exclusiveMinimum) === undefined || (maximum ?? exclusiveMaximum) === undefined;
  return [
    boundText(minimum, isOneSided ? "≥ " : "") ?? boundText(exclusiveMinimum, "> "),
    boundText(maximum, isOneSided ? "≤ " : "") ?? boundText(exclusiveMaximum, "< "),
  ];
}

function boundText(bound: number | undefined, sign: string): string | undefined {
  return bound === undefined ? undefined : sign + numberText(bound);
}

/** The exact bound if it is short, otherwise rounded: the error message has the exact one. */
function numberText(bound: number): string {
  const isCompact = Math.abs(bound) >= 10_000 && isExact(formatCompactCount(bound), bound);
  const plain = isCompact ? formatCompactCount(bound) : String(bound);
  const exponential = bound.toExponential();
  // 0.000001 is harder to read than 1e-6.
  const text =
    plain.length > LONGEST - 2 && exponential.length < plain.length ? exponential : plain;
  if (text.length <= LONGEST) return text;
  const rounded = String(Number(bound.toPrecision(3)));
  return `≈${rounded.length <= LONGEST ? rounded : bound.toExponential(2)}`;
}

const UNITS: Readonly<Record<string, number>> = { K: 1e3, M: 1e6, B: 1e9, T: 1e12 };

/** The compact form of 1,000,001 is "1M", which is another bound. */
function isExact(compact: string, bound: number): boolean {
  const unit = UNITS[compact.slice(-1)];
  return unit !== undefined && Math.round(Number(compact.slice(0, -1)) * unit) === bound;
}
