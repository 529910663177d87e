import type { TraceRow } from "../api/trace-row.ts";
import { classNames } from "../design/class-names.ts";
import { badgeClass } from "../design/tone.ts";
import { formatWhen, hasAge } from "../format/format-time.ts";
import { shownName } from "../spans/shown-name.ts";
import { statusLook } from "../spans/status-look.ts";
import { cellText } from "../traces/rows/cell-text.ts";
import {
  cellClass,
  LINE_CLASS,
  LINK_CLASS,
  PREVIEW_CELL_CLASS,
  PREVIEW_CLASS,
  ROW_CLASS,
  valueLook,
} from "../traces/rows/row-look.ts";
import { TRACE_COLUMNS, type TraceColumn } from "../traces/rows/trace-columns.ts";
import { element, type Markup, recorded, text } from "./markup.ts";

/** When the rows are written, and the query of the page's address. */
export interface Opened {
  readonly now: number;
  readonly search: string;
}

/**
 * A row that is a line of the table, or a card where the list is narrow: the server knows neither the width nor the
 * chosen columns. It has all of them, and style sheets hide those that are not shown. A card has its first cells in
 * one line and the preview in another; in a table, the elements of these lines have no boxes.
 *
 * As few elements as that look needs: the layout of a screen full of them takes most of the time until they show.
 */
export function writeRow(row: TraceRow, opened: Opened): Markup {
  const cells = TRACE_COLUMNS.filter(({ id }) => id !== "preview").map((column) =>
    cell(row, column, opened),
  );
  return element(
    "div",
    `relative ${ROW_CLASS} ${LINE_CLASS} cards:flex cards:gap-1 cards:pr-1`,
    [
      element("div", "size-8 cards:-ml-2 cards:shrink-0"),
      element(
        "div",
        "contents cards:flex cards:min-w-0 cards:flex-1 cards:flex-col cards:gap-0.5",
        [
          element(
            "div",
            "contents cards:flex cards:min-w-0 cards:items-center cards:gap-1.5",
            cells,
          ),
          element(
            "div",
            "contents cards:flex cards:min-w-0 cards:items-center cards:justify-between cards:gap-3",
            [preview(row), cardFigures(row)],
          ),
        ],
      ),
      element("div", "hidden size-7 shrink-0 cards:block"),
    ],
    { "data-first-line": "", "data-first-row": "" },
  );
}

function cell(row: TraceRow, { id, isNumber }: TraceColumn, { now, search }: Opened): Markup {
  const column = { "data-first-column": id };
  if (id === "name") {
    return element("div", `${cellClass()} cards:contents`, nameOf(row, search), column);
  }
  const { text: value } = cellText(row, id);
  const look = classNames("px-1.5", isNumber && "text-right", valueLook(id, value));
  if (id === "time") return element("div", `${look} ${CARD_TIME_CLASS}`, when(row, now), column);
  if (id === "status") {
    return element("div", `${look} cards:shrink-0 cards:px-0`, statusOf(row), column);
  }
  return element("div", `${look} cards:hidden`, [recorded(value)], column);
}

const CARD_TIME_CLASS =
  "cards:order-1 cards:ml-auto cards:shrink-0 cards:px-0 cards:text-[0.93rem] cards:normal-nums";

/** The room of the kind's icon, and the link to the trace. */
function nameOf(row: TraceRow, search: string): readonly Markup[] {
  const link = element("a", LINK_CLASS, [recorded(shownName(row.name))], {
    href: `/traces/${encodeURIComponent(row.traceId)}${search}`,
    tabindex: "-1",
  });
  return [element("span", "size-[15px] shrink-0"), link];
}

/**
 * An age is the same everywhere. A day depends on the reader's time zone, which the browser knows: after-rows.ts
 * writes it, and where no script runs it is that of UTC.
 */
function when({ startedAt }: TraceRow, now: number): readonly Markup[] {
  if (hasAge(startedAt, now)) return [text(formatWhen(startedAt, now))];
  const inUtc = `${startedAt.slice(0, 16).replace("T", " ")} UTC`;
  const withoutScript = element("noscript", "", [text(inUtc)]);
  return [element("time", "", [withoutScript], { datetime: startedAt })];
}

function statusOf({ status, isCancelled, failedSpans }: TraceRow): readonly Markup[] {
  const look = statusLook(status, isCancelled);
  const own = look === null ? [] : [element("span", badgeClass(look.tone), [text(look.label)])];
  if (status === "ERROR" || failedSpans === 0) return own;
  const icon = element("span", "size-3");
  const below = [icon, text(failedSpans.toLocaleString("en"))];
  return [...own, element("span", badgeClass("danger"), below)];
}

function preview({ input, output, status, statusMessage }: TraceRow): Markup {
  const isFailed = status === "ERROR" && statusMessage !== null && statusMessage !== "";
  const end = isFailed ? statusMessage : output;
  const content = [recorded(input)];
  if (end !== "") {
    content.push(
      element("span", "px-1.5", [text("→")]),
      recorded(end, isFailed ? "text-danger" : "text-ink"),
    );
  }
  const look = `${PREVIEW_CELL_CLASS} ${PREVIEW_CLASS} order-1 cards:order-none cards:px-0`;
  return element("p", look, content, { dir: "auto", "data-first-column": "preview" });
}

function cardFigures(row: TraceRow): Markup {
  const figures = (["latency", "cost"] as const).map((column) =>
    element("span", "", [text(cellText(row, column).text)]),
  );
  const look = "hidden shrink-0 gap-2 text-[0.93rem] text-ink-soft tabular-nums cards:flex";
  return element("p", look, figures);
}
