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
