/** A value as JSON text that people can read. What JSON has no form for is an empty text. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? "";
}
