import type { ConfigFieldSchema } from "@agate/protocol";
import { formatCount } from "../format/format-count.ts";

type BoundTexts = readonly [lowest: string | undefined, highest: string | undefined];

/** Of characters, without a sign before them. */
const LONGEST = 8;

/** The bounds of a number, in the little space at the ends of a slider, or behind a box that has one. */
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

/** The exact bound where it is short. Else about what it is: it is read out, and said where it is broken. */
function numberText(bound: number): string {
  const isCompact = Math.abs(bound) >= 10_000 && isExact(formatCount(bound), bound);
  const plain = isCompact ? formatCount(bound) : String(bound);
  const exponential = bound.toExponential();
  // 0.000001 is harder to read than 1e-6.
  const text =
    plain.length > LONGEST - 2 && exponential.length < plain.length ? exponential : plain;
  if (text.length <= LONGEST) return text;
  const rounded = String(Number(bound.toPrecision(3)));
  return `≈${rounded.length <= LONGEST ? rounded : bound.toExponential(2)}`;
}

const UNITS: Readonly<Record<string, number>> = { K: 1e3, M: 1e6, B: 1e9, T: 1e12 };

/** Of 1,000,001 the compact form says "1M", and that is another bound. */
function isExact(compact: string, bound: number): boolean {
  const unit = UNITS[compact.slice(-1)];
  return unit !== undefined && Math.round(Number(compact.slice(0, -1)) * unit) === bound;
}
