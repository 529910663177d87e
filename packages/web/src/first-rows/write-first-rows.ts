// Writes the newest traces as HTML, where the page will have them. The platform runs it: the rows are in the
// document, and a browser shows them without a script. It is built for it, beside the page.
import type { WriteFirstRows } from "@agate/protocol";
import { traceRow } from "../api/trace-row.ts";
import { NAVIGATION_CLASS, PLACE_CLASS, PLACES } from "../app/places.ts";
import {
  HEADS_CLASS,
  HISTOGRAM_CLASS,
  headClass,
  SCROLLER_CLASS,
} from "../traces/rows/row-look.ts";
import { TRACE_COLUMNS } from "../traces/rows/trace-columns.ts";
import { element, type Markup, text } from "./markup.ts";
import { writeRow } from "./write-row.ts";

/** The newest traces, with the frame of the page around them. Nothing where there are none. */
export const writeFirstRows: WriteFirstRows = (items, opened) => {
  if (items.length === 0) return "";
  const list = element("div", "relative flex min-h-0 flex-1 flex-col overflow-hidden", [
    element("div", SCROLLER_CLASS, [
      columnHeads(),
      element(
        "div",
        "relative block",
        items.map((item) => writeRow(traceRow(item, "traces"), opened)),
      ),
    ]),
  ]);
  return frame(list);
};

function columnHeads(): Markup {
  const heads = TRACE_COLUMNS.filter(({ id }) => id !== "preview").map(
    ({ id, label, short, isNumber }) =>
      element("span", headClass(isNumber), [text(short ?? label)], { "data-first-column": id }),
  );
  return element("div", `${HEADS_CLASS} cards:hidden`, [element("span", ""), ...heads], {
    "data-first-line": "",
  });
}

/** What is around the list, as high and as wide as the page will have it. */
function frame(list: Markup): Markup {
  const header = element(
    "div",
    "flex flex-wrap items-end justify-between gap-x-4 gap-y-2 px-4 pt-4 pb-3 md:px-6",
    [
      // As wide as the title with its count and the controls: the same widths have them on two lines.
      element("p", "min-w-[71px] text-xl font-semibold tracking-tight", [text("Traces")]),
      element("div", "h-8 max-sm:w-[306px]"),
    ],
  );
  const filters = element("div", "px-4 pb-2.5 md:px-6", [element("div", "h-8 max-md:h-[4.5rem]")]);
  const main = element("div", "relative flex min-h-0 min-w-0 flex-1 flex-col", [
    header,
    filters,
    element("div", HISTOGRAM_CLASS),
    list,
  ]);
  const both = element("div", "flex min-h-0 flex-1 flex-col-reverse md:flex-row", [
    navigation(),
    main,
  ]);
  // Links work, but a screen reader hears of the list when it can be used.
  return element("div", "flex h-dvh flex-col", [both], { "aria-hidden": "true" });
}

function navigation(): Markup {
  const places = PLACES.map(({ to, label, below }) => {
    const link = element("a", PLACE_CLASS, [element("span", "size-[17px]"), text(label)], {
      href: to,
      tabindex: "-1",
      ...(below.test("/traces") && { "aria-current": "page" }),
    });
    return element("div", "flex max-md:flex-1 md:flex-col", [link]);
  });
  return element("div", NAVIGATION_CLASS, [
    element("div", "mb-4 flex items-center gap-2 px-1.5 py-1 max-md:hidden", [
      element("span", "size-6"),
      element("span", "text-base font-semibold tracking-tight", [text("Agate")]),
    ]),
    element("div", "mb-3 h-8 max-md:hidden"),
    element("div", "flex gap-0.5 max-md:flex-1 md:flex-col", places),
  ]);
}
