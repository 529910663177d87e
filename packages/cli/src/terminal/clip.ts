import { printableLine } from "./printable.ts";
import { cutText } from "./text-width.ts";

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
