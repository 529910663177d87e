import { type Finder, reportMatches } from "./found.ts";

/**
 * With a country's code: `+49 30 901820`, `+1 (555) 123-4567`. Not a number with decimals, `+1.23456789`.
 * Quantifiers are bounded, and two digits are always told apart: the time is linear.
 */
const INTERNATIONAL =
  /(?<![0-9A-Za-z_+.-])\+(?!\d+\.\d{5})[1-9](?:[ .\-/()]{0,2}\d){7,14}(?![0-9A-Za-z])/g;
/** As in North America: `(555) 123-4567`, `555-123-4567`, `555.123.4567`, `1-555-123-4567`. */
const NORTH_AMERICAN =
  /(?<![0-9A-Za-z_+.-])(?:1[ .-])?(?:\([2-9]\d{2}\) ?[2-9]\d{2}[ .-]|[2-9]\d{2}([.-])[2-9]\d{2}\1)\d{4}(?![0-9A-Za-z_-]|\.\d)/g;

/** Finds phone numbers that can be told from other numbers: by a country's code, or by their form. */
export const findPhones: Finder = (text, report) => {
  reportMatches([...text.matchAll(INTERNATIONAL), ...text.matchAll(NORTH_AMERICAN)], report);
};
