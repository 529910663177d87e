import { FIRST_TRACES } from "@agate/protocol";
import { CARDS_BELOW, layoutOf, MARGINS } from "../traces/rows/row-look.ts";
import {
  type ColumnId,
  columnTracks,
  fitColumns,
  leastWidth,
  TRACE_COLUMNS,
  type TraceColumn,
} from "../traces/rows/trace-columns.ts";

/** What is above the first row has at least this height in pixels. */
const ABOVE_LIST = 140;

/** The width of the navigation beside the list in pixels: see NAVIGATION_CLASS. */
export const NAVIGATION = 182;

/** The id of the style element that shows the usual columns. */
export const FIRST_COLUMNS_ID = "first-columns";

/**
 * The style sheet that shows the chosen columns in the first rows, as many as fit into the list's width. Built into
 * the document for the usual choice, and made by the browser for any other.
 */
export function columnStyles(chosen: ReadonlySet<ColumnId>): string {
  const { height } = layoutOf(chosen, null);
  const rules = [
    `[data-first-row]{height:${layoutOf(chosen, 0).height}px}`,
    atWidths(Number.POSITIVE_INFINITY, `[data-first-row]{height:${height}px}`),
    ...rowsOutOfSight(height),
  ];
  let columns = fitColumns(chosen, Number.POSITIVE_INFINITY);
  rules.push(atWidths(Number.POSITIVE_INFINITY, rulesOf(columns)));
  for (;;) {
    const least = leastWidth(columns);
    const fewer = fitColumns(chosen, least - 1);
    const below = least + MARGINS;
    if (fewer.length === columns.length || below <= CARDS_BELOW) return rules.join("");
    rules.push(atWidths(below, rulesOf(fewer)));
    columns = fewer;
  }
}

/** Rows below the window are left out: each takes as long as one that is seen. */
function rowsOutOfSight(height: number): readonly string[] {
  return Array.from({ length: FIRST_TRACES - 1 }, (_, n) => {
    const top = ABOVE_LIST + (n + 1) * height;
    return `@media (height <= ${top}px){[data-first-row]:nth-child(n+${n + 2}){display:none}}`;
  });
}

/** Rules for lists of these widths: the navigation is above a list, or from 48 rem (Tailwind's `md`) on beside it. */
function atWidths(below: number, rules: string): string {
  const between = (more: number) => {
    const most = Number.isFinite(below) ? ` and (width < ${below + more}px)` : "";
    return `(width >= ${CARDS_BELOW + more}px)${most}`;
  };
  const media = `(width < 48rem) and ${between(0)},(width >= 48rem) and ${between(NAVIGATION)}`;
  return `@media ${media}{${rules}}`;
}

function rulesOf(columns: readonly TraceColumn[]): string {
  const hidden = TRACE_COLUMNS.filter((column) => !columns.includes(column)).map(
    ({ id }) => `[data-first-column=${id}]`,
  );
  const hide = hidden.length === 0 ? "" : `${hidden.join(",")}{display:none}`;
  return `[data-first-line]{grid-template-columns:${columnTracks(columns)}}${hide}`;
}
