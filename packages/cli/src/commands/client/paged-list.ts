import { Option } from "commander";
import type { Column, Row } from "../../terminal/table.ts";
import { layOutTable, tableHead, tableLine } from "../../terminal/table.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { parseWholeNumber } from "../option-parsers.ts";

/** The lines of a table. For an empty list, a hint goes to standard error. */
export function* listLines(
  terminal: Terminal,
  columns: readonly Column[],
  rows: readonly Row[],
  empty: string,
): Generator<string> {
  if (rows.length === 0) {
    terminal.note(empty);
    return;
  }
  const layout = layOutTable(columns, rows, terminal.columns);
  yield tableHead(layout, terminal.paint);
  for (const row of rows) yield tableLine(layout, row, terminal.paint);
  if (layout.hidden.length > 0) {
    const titles = layout.hidden.join(", ");
    terminal.note(
      terminal.paintNote("dim", `Hidden for lack of space: ${titles}. Use a wider terminal.`),
    );
  }
}

/** A list without pages. */
export interface Items<Item> {
  readonly items: readonly Item[];
}

/** One page of a list, newest first. */
export interface Page<Item> extends Items<Item> {
  readonly next_cursor: string | number | null;
}

/** Prints the cursor of the next page on standard error. */
export function noteNextPage(terminal: Terminal, next: string | number | null): void {
  if (next === null) return;
  terminal.note(terminal.paintNote("dim", `More: --cursor ${next}`));
}

/** The options of one page of a list. */
export interface PageFlags {
  readonly limit: number;
  readonly cursor?: string;
}

export function limitOption(defaultLimit: number): Option {
  return new Option("--limit <number>", "maximum number of items")
    .argParser(parseWholeNumber)
    .default(defaultLimit);
}

export function cursorOption(): Option {
  return new Option("--cursor <cursor>", "continue from this cursor");
}
