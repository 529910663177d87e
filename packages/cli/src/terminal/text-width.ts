/** Letters of East Asia and pictures: a terminal gives each two columns. */
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]|^\p{Emoji_Presentation}|\ufe0f/u;
const NO_WIDTH = /^[\p{Mark}\p{Format}]+$/u;
const ASCII = /^[\u0020-\u007e]*$/;

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Columns that a text without control characters takes. */
export function textWidth(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += graphemeWidth(segment);
  return width;
}

function graphemeWidth(grapheme: string): number {
  if (NO_WIDTH.test(grapheme)) return 0;
  return WIDE.test(grapheme) ? 2 : 1;
}

/** At most so many columns of it; what is cut is shown as `…`. */
export function cutText(text: string, columns: number): string {
  if (text.length <= columns && ASCII.test(text)) return text;
  if (columns < 1) return "";
  let width = 0;
  let roomForMark = "";
  // The segmenter is lazy: a text of a megabyte is not read further than the screen is wide.
  for (const { segment } of graphemes.segment(text)) {
    width += graphemeWidth(segment);
    if (width > columns) return `${roomForMark}…`;
    if (width < columns) roomForMark += segment;
  }
  return text;
}

/** Filled with spaces to so many columns. */
export function padText(text: string, columns: number, align: "left" | "right" = "left"): string {
  const space = " ".repeat(Math.max(0, columns - textWidth(text)));
  return align === "left" ? text + space : space + text;
}
