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
