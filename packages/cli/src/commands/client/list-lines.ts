import type { Column, Row } from "../../terminal/table.ts";
import { layOutTable, tableHead, tableLine } from "../../terminal/table.ts";
import type { Terminal } from "../../terminal/terminal.ts";

/** The lines of a table; what to do about an empty list goes to standard error. */
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
    terminal.note(terminal.paintNote("dim", `No room for ${titles}: a wider terminal shows them.`));
  }
}
