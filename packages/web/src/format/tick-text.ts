/**
 * The label of a tick on an axis: without the trailing zeros that align columns of figures.
 *
 * @example tickText("2.00 s") // "2 s"
 */
export function tickText(text: string): string {
  return text.replace(/(\.\d*?)0+(?!\d)/, "$1").replace(/\.(?!\d)/, "");
}
