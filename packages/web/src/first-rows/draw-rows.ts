import type { ListedSpan } from "@agate/protocol";
import { type TraceRow, traceRow } from "../api/trace-row.ts";
import { badgeClass } from "../design/tone.ts";
import { formatWhen } from "../format/format-time.ts";
import { shownName } from "../spans/shown-name.ts";
import { statusLook } from "../spans/status-look.ts";
import { cellText } from "../traces/rows/cell-text.ts";
import {
  CARD_CLASS,
  cellClass,
  HEADS_CLASS,
  headClass,
  LINE_CLASS,
  LINK_CLASS,
  layoutOf,
  MARGINS,
  PREVIEW_CELL_CLASS,
  PREVIEW_CLASS,
  ROW_CLASS,
  SCROLLER_CLASS,
  valueClass,
} from "../traces/rows/row-look.ts";
import {
  type ColumnId,
  columnTracks,
  fitColumns,
  type TraceColumn,
} from "../traces/rows/trace-columns.ts";
import { element, recorded, text } from "./element.ts";

/** As many rows as fit into a width and a height in pixels, where the page will have them. */
export function drawRows(
  items: readonly ListedSpan[],
  chosen: ReadonlySet<ColumnId>,
  width: number,
  height: number,
): HTMLElement {
  const layout = layoutOf(chosen, width);
  const columns = fitColumns(chosen, width - MARGINS);
  const tracks = columnTracks(columns);
  const now = Date.now();
  const shown = items.slice(0, Math.ceil(height / layout.height)).map((item, index) => {
    const row = traceRow(item, "traces");
    const drawn = layout.isCards ? card(row, now) : line(row, columns, tracks, now);
    drawn.style.transform = `translateY(${index * layout.height}px)`;
    drawn.style.height = `${layout.height}px`;
    drawn.dataset.firstRow = "";
    return drawn;
  });
  const heads = layout.isCards ? [] : [columnHeads(columns, tracks)];
  return element("div", SCROLLER_CLASS, ...heads, element("div", "relative block", ...shown));
}

function columnHeads(columns: readonly TraceColumn[], tracks: string): HTMLElement {
  const heads = columns
    .filter(({ id }) => id !== "preview")
    .map(({ label, short, isNumber }) =>
      element("span", headClass(isNumber), text(short ?? label)),
    );
  const shown = element("div", HEADS_CLASS, element("span", ""), ...heads);
  shown.style.gridTemplateColumns = tracks;
  return shown;
}

function line(
  row: TraceRow,
  columns: readonly TraceColumn[],
  tracks: string,
  now: number,
): HTMLElement {
  const cells = columns
    .filter(({ id }) => id !== "preview")
    .map(({ id, isNumber }) => {
      const content = id === "name" ? nameOf(row) : [cellValue(row, id, now)];
      return element("div", cellClass(isNumber), ...content);
    });
  const hasPreview = columns.some(({ id }) => id === "preview");
  const preview = hasPreview ? [element("div", PREVIEW_CELL_CLASS, previewOf(row))] : [];
  const menu = element("div", "");
  const shown = element(
    "div",
    `${ROW_CLASS} ${LINE_CLASS}`,
    element("div", "size-8"),
    ...cells,
    menu,
    ...preview,
  );
  shown.style.gridTemplateColumns = tracks;
  return shown;
}

function card(row: TraceRow, now: number): HTMLElement {
  const top = element(
    "div",
    "flex min-w-0 items-center gap-1.5",
    ...nameOf(row),
    cellValue(row, "status", now),
    element(
      "span",
      "ml-auto shrink-0 text-[0.93rem] text-ink-soft",
      text(formatWhen(row.startedAt, now)),
    ),
  );
  return element(
    "div",
    `${ROW_CLASS} ${CARD_CLASS}`,
    element("div", "size-8 -ml-2 shrink-0"),
    element("div", "flex min-w-0 flex-1 flex-col gap-0.5", top, previewOf(row)),
    element("div", "size-7 shrink-0"),
  );
}

/** The room of the kind's icon, and the link to the trace. */
function nameOf(row: TraceRow): readonly HTMLElement[] {
  const link = element("a", LINK_CLASS, recorded(shownName(row.name)));
  link.href = `/traces/${encodeURIComponent(row.traceId)}${location.search}`;
  link.tabIndex = -1;
  return [element("span", "size-[15px] shrink-0"), link];
}

function cellValue(row: TraceRow, column: ColumnId, now: number): HTMLElement {
  const value = column === "time" ? formatWhen(row.startedAt, now) : cellText(row, column).text;
  const shown = element("span", valueClass(column, value));
  if (column !== "status") shown.append(recorded(value));
  else {
    const look = statusLook(row.status, row.isCancelled);
    if (look !== null) shown.append(element("span", badgeClass(look.tone), text(look.label)));
  }
  return shown;
}

function previewOf({ input, output, status, statusMessage }: TraceRow): HTMLElement {
  const isFailed = status === "ERROR" && statusMessage !== null && statusMessage !== "";
  const end = isFailed ? statusMessage : output;
  const shown = element("p", PREVIEW_CLASS, recorded(input));
  shown.dir = "auto";
  if (end !== "") {
    shown.append(
      element("span", "px-1.5", text("→")),
      recorded(end, isFailed ? "text-danger" : "text-ink"),
    );
  }
  return shown;
}
