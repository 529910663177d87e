/**
 * The text of a mark on an axis: without the zeros that make columns of figures line up.
 *
 * @example tickText("2.00 s") // "2 s"
 */
export function tickText(text: string): string {
  return text
    .replace(/(\.\d*?)0+(?!\d)/, "$1")
    .replace(/\.(?!\d)/, "")
    .replace(/ 0 [hms]$/, "");
}
