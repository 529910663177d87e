import { printableLine } from "./printable.ts";

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

/** Cuts a text to a width; `…` marks the cut. */
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

/** Pads a text with spaces to a width. */
export function padText(text: string, columns: number, align: "left" | "right" = "left"): string {
  const space = " ".repeat(Math.max(0, columns - textWidth(text)));
  return align === "left" ? text + space : space + text;
}

/** Of a name or another cell, in a pipe too: a table is as wide as its widest cell in every line. */
export const MOST_CELL_COLUMNS = 200;
/** Of a message or another value on a line of its own. */
export const MOST_LINE_COLUMNS = 1000;
/** Characters that are read for each column: escape sequences and runs of spaces take none. */
const READ_PER_COLUMN = 20;

/**
 * Recorded text on one line, safe to print, and cut to a number of columns. What is cut is
 * shown as `…`. A name may be a megabyte long: what is far beyond the last column is not even read.
 */
export function clippedLine(text: string, columns: number): string {
  const most = columns * READ_PER_COLUMN;
  const read = text.length > most ? `${text.slice(0, most)}…` : text;
  return cutText(printableLine(read), columns);
}
