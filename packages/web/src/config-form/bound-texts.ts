import type { ConfigFieldSchema } from "@agate/protocol";
import { formatCount } from "../format/format-count.ts";

type BoundTexts = readonly [lowest: string | undefined, highest: string | undefined];

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
  if (bound === undefined) return undefined;
  const text = Math.abs(bound) < 10_000 ? String(bound) : formatCount(bound);
  return sign + (text.length > 6 ? shortExponential(bound) : text);
}

/** The slider and its box need the space; the exact bound is read out, and said where it is broken. */
function shortExponential(bound: number): string {
  const [exact, short] = [bound.toExponential(), bound.toExponential(2)];
  return exact.length <= short.length ? exact : `≈${short}`;
}
