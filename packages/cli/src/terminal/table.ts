import type { Paint, Style } from "./terminal.ts";
import {
  clippedLine,
  cutText,
  MOST_CELL_COLUMNS,
  MOST_LINE_COLUMNS,
  padText,
  textWidth,
} from "./text-width.ts";

export interface Column {
  readonly title: string;
  readonly align?: "left" | "right";
  /** The width it may be cut to on a narrow terminal; without it, it is never cut. */
  readonly least?: number;
  /** Left out where the terminal is too narrow, the greatest first; without it, never. */
  readonly dispensable?: number;
  /** How wide it is when its cells are not known beforehand. */
  readonly usual?: number;
}

/** A cell: its text, or with more than that. */
export type Cell = string | StyledCell;

export interface StyledCell {
  readonly text: string;
  /** Of all of it. */
  readonly style?: Style;
  /** Says the same in less room: shown where the table would be too wide with the text. */
  readonly short?: string;
}

export type Row = readonly Cell[];

/** Which columns are shown, and how wide. */
export interface TableLayout {
  readonly columns: readonly Column[];
  /** Undefined: left out. */
  readonly widths: readonly (number | undefined)[];
  /** Titles of the columns that there was no room for. */
  readonly hidden: readonly string[];
  /** Whether cells that have a short form are shown in it. */
  readonly isShortened: boolean;
}

const GAP = "  ";

/** Fits a table into a terminal's width; undefined is a pipe, where only very long cells are cut. */
export function layOutTable(
  columns: readonly Column[],
  rows: readonly Row[],
  available: number | undefined,
): TableLayout {
  const full = widthsOf(columns, rows, false);
  if (available === undefined) return { columns, widths: full, hidden: [], isShortened: false };
  // Short forms first: every row in the same form, and nothing lost yet.
  const isShortened = totalWidth(full) > available;
  const wanted = isShortened ? widthsOf(columns, rows, true) : full;
  const widths: (number | undefined)[] = [...wanted];
  const least = (index: number) => {
    const column = columns[index];
    return Math.min(wanted[index] ?? 0, column?.least ?? Number.POSITIVE_INFINITY);
  };
  const hidden = leaveOut(columns, widths, least, available);
  shrink(widths, least, available);
  return { columns, widths, hidden, isShortened };
}

function widthsOf(columns: readonly Column[], rows: readonly Row[], isShort: boolean): number[] {
  return columns.map((column, index) =>
    rows.reduce(
      (most, row) => Math.max(most, textWidth(cellText(row[index] ?? "", isShort))),
      Math.max(textWidth(column.title), column.usual ?? 0),
    ),
  );
}

function leaveOut(
  columns: readonly Column[],
  widths: (number | undefined)[],
  least: (index: number) => number,
  available: number,
): string[] {
  const byRank = columns
    .map((column, index) => ({ index, title: column.title, rank: column.dispensable ?? 0 }))
    .filter(({ rank }) => rank > 0)
    .sort((a, b) => b.rank - a.rank);
  const hidden: string[] = [];
  for (const { index, title } of byRank) {
    const narrowest = widths.map((width, at) => (width === undefined ? undefined : least(at)));
    if (totalWidth(narrowest) <= available) break;
    widths[index] = undefined;
    hidden.push(title);
  }
  return hidden;
}

/** Takes a column at a time from the widest that may still give. */
function shrink(
  widths: (number | undefined)[],
  least: (index: number) => number,
  available: number,
): void {
  for (let excess = totalWidth(widths) - available; excess > 0; excess--) {
    let widest = -1;
    for (const [index, width] of widths.entries()) {
      if (width === undefined || width <= least(index)) continue;
      if (widest < 0 || width > (widths[widest] ?? 0)) widest = index;
    }
    if (widest < 0) return;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
}

function totalWidth(widths: readonly (number | undefined)[]): number {
  const shown = widths.filter((width) => width !== undefined);
  return shown.reduce((sum, width) => sum + width, 0) + GAP.length * Math.max(0, shown.length - 1);
}

/** The titles' line. */
export function tableHead(layout: TableLayout, paint: Paint): string {
  return tableLine(
    layout,
    layout.columns.map(({ title }): Cell => ({ text: title, style: "dim" })),
    paint,
  );
}

/** One line of the table. Cells are made printable here. */
export function tableLine(
  { columns, widths, isShortened }: TableLayout,
  row: Row,
  paint: Paint,
): string {
  const last = widths.findLastIndex((width) => width !== undefined);
  const cells: string[] = [];
  for (const [index, width] of widths.entries()) {
    if (width === undefined) continue;
    const cell = row[index] ?? "";
    const full = cellText(cell, isShortened);
    const cut = textWidth(full) <= width ? full : cutText(cellText(cell, true), width);
    const align = columns[index]?.align ?? "left";
    const space = " ".repeat(Math.max(0, width - textWidth(cut)));
    const style = typeof cell === "string" ? undefined : cell.style;
    const painted = style === undefined ? cut : paint(style, cut);
    if (align === "right") cells.push(space + painted);
    // No trailing spaces, which get in the way when lines are copied.
    else cells.push(index === last ? painted : painted + space);
  }
  return cells.join(GAP).trimEnd();
}

function cellText(cell: Cell, isShort: boolean): string {
  const { text, short = text }: StyledCell = typeof cell === "string" ? { text: cell } : cell;
  return clippedLine(isShort ? short : text, MOST_CELL_COLUMNS);
}

/** Names with their values below each other: what `show` prints. */
export function renderFields(
  fields: readonly (readonly [name: string, value: string])[],
  paint: Paint,
): string[] {
  const width = Math.max(...fields.map(([name]) => textWidth(name)));
  return fields.map(([name, value]) =>
    `${paint("dim", padText(name, width))}${GAP}${clippedLine(value, MOST_LINE_COLUMNS)}`.trimEnd(),
  );
}
