/** Indented JSON; an empty text for values that JSON does not have. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? "";
}

/**
 * A recorded number as text. Digits beyond the precision of a browser are lost; such a number is marked as
 * rounded.
 *
 * @example numberText(12345678901234567890) // "≈ 12345678901234567000"
 */
export function numberText(value: number): string {
  if (Number.isFinite(value)) return `${isRounded(value) ? "≈ " : ""}${value}`;
  return value < 0 ? "below -1.79e+308" : "above 1.79e+308";
}

/** Whether digits may be lost. */
export function isRounded(value: number): boolean {
  return Math.abs(value) > Number.MAX_SAFE_INTEGER;
}

/** Numbers and literals of JSON. */
const OTHER = /^(?:-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|true|false|null)$/i;

/**
 * A recorded text in a JSON tree: quoted if it looks like a number or a literal, because colour alone is
 * not accessible.
 *
 * @example stringText("5") // "\"5\""
 */
export function stringText(value: string): string {
  return value.trim() === "" || OTHER.test(value) ? `"${value}"` : value;
}
