import { classNames } from "../../design/class-names.ts";
import type { ColumnId } from "./trace-columns.ts";

// How a row looks: for the page, and for the rows that are drawn before its script is there.

/** Below this width in pixels, each trace is a card. first-rows.css has it, too. */
export const CARDS_BELOW = 640;
const HEAD_HEIGHT = 32;
const CARD_HEIGHT = 60;
const LINE_HEIGHT = 36;
const PREVIEWED_HEIGHT = 54;
/** Left and right of a row's columns, in pixels. */
export const MARGINS = 24;

export interface RowLayout {
  readonly isCards: boolean;
  /** Pixels of a row. */
  readonly height: number;
  /** Pixels of the column headings. */
  readonly head: number;
}

export function layoutOf(chosen: ReadonlySet<ColumnId>, width: number | null): RowLayout {
  if (width !== null && width < CARDS_BELOW) return { isCards: true, height: CARD_HEIGHT, head: 0 };
  const height = chosen.has("preview") ? PREVIEWED_HEIGHT : LINE_HEIGHT;
  return { isCards: false, height, head: HEAD_HEIGHT };
}

/** The room of the histogram above the list: of its bars, its times and what is below them. */
export const HISTOGRAM_CLASS = "h-[calc(3.125rem+16px)] shrink-0";
export const SCROLLER_CLASS = "min-h-0 flex-1 overflow-x-hidden border-t border-line bg-surface";
export const HEADS_CLASS =
  "grid h-8 items-center border-b border-line bg-surface px-3 text-xs text-ink-soft";
export const ROW_CLASS =
  "border-b border-line has-[a:focus-visible]:outline-2 has-[a:focus-visible]:-outline-offset-2 has-[a:focus-visible]:outline-accent";
export const LINE_CLASS = "grid content-center items-center px-3";
export const CARD_CLASS = "flex items-center gap-1 pr-1 pl-3";
export const LINK_CLASS = "truncate font-medium outline-none after:absolute after:inset-0";
export const PREVIEW_CELL_CLASS = "col-start-3 -col-end-1 min-w-0 px-1.5";
export const PREVIEW_CLASS = "truncate text-[0.93rem] text-ink-soft";

export function headClass(isNumber = false): string {
  return classNames("truncate px-1.5 font-medium", isNumber ? "text-right" : "text-left");
}

export function cellClass(isNumber = false): string {
  return classNames("flex min-w-0 items-center gap-1.5 px-1.5", isNumber && "justify-end");
}

export function valueClass(column: ColumnId, text: string): string {
  return classNames("relative z-10 max-w-full", valueLook(column, text));
}

export function valueLook(column: ColumnId, text: string): string {
  return classNames(
    "tabular-nums",
    column === "status" || column === "scores" ? "flex min-w-0 gap-1" : "truncate",
    (text === "–" || column === "time") && "text-ink-soft",
    column === "kind" && "text-xs text-ink-soft",
  );
}
