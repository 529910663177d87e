/** A value as JSON text that people can read. What JSON has no form for is an empty text. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? "";
}

/**
 * A recorded number for people. The page has it as a browser does: of more digits than that keeps, it
 * says that they are not all there.
 *
 * @example numberText(12345678901234567890) // "≈ 12345678901234567000"
 */
export function numberText(value: number): string {
  if (Number.isFinite(value)) return `${isRounded(value) ? "≈ " : ""}${value}`;
  return value < 0 ? "below -1.79e+308" : "above 1.79e+308";
}

/** Whether more digits may be recorded than the page has. */
export function isRounded(value: number): boolean {
  return Math.abs(value) > Number.MAX_SAFE_INTEGER;
}

/** What is no text in JSON: numbers and the words that it has. */
const OTHER = /^(?:-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|true|false|null)$/i;

/**
 * A recorded text in a tree of values: in quotes where it would read as something else, as colour alone
 * tells nobody.
 *
 * @example stringText("5") // "\"5\""
 */
export function stringText(value: string): string {
  return value.trim() === "" || OTHER.test(value) ? `"${value}"` : value;
}
