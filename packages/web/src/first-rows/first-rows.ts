// Draws the newest traces as soon as the document is there, before the page's scripts are: those take seconds on
// a slow connection. Built into the document; main.tsx puts the page in its place.
import { readFirstAnswers } from "../api/read-first-answers.ts";
import { NAVIGATION_CLASS, PLACE_CLASS, PLACES } from "../app/places.ts";
import { repairStorage } from "../app/repair-browser.ts";
import { showKeptTheme } from "../app/theme.ts";
import { HISTOGRAM_CLASS } from "../traces/rows/row-look.ts";
import { COLUMNS_KEY, parseColumnChoice } from "../traces/rows/trace-columns.ts";
import { drawRows } from "./draw-rows.ts";
import { element, text } from "./element.ts";
import "./first-rows.css";

repairStorage();
showKeptTheme();
const page = document.getElementById("page");
const items = readFirstAnswers()?.traces?.items ?? [];
if (page !== null && items.length > 0) {
  const list = element("div", "relative flex min-h-0 flex-1 flex-col overflow-hidden");
  page.append(frame(list));
  const columns = parseColumnChoice(localStorage.getItem(COLUMNS_KEY));
  list.append(drawRows(items, columns, list.clientWidth, list.clientHeight));
}
document.currentScript?.remove();

/** What is around the list, as high and as wide as the page will have it. */
function frame(list: HTMLElement): HTMLElement {
  const header = element(
    "div",
    "flex flex-wrap items-end justify-between gap-x-4 gap-y-2 px-4 pt-4 pb-3 md:px-6",
    element("p", "min-w-0 text-xl font-semibold tracking-tight", text("Traces")),
    element("div", "h-8 max-sm:w-full"),
  );
  const filters = element("div", "px-4 pb-2.5 md:px-6", element("div", "h-8 max-md:h-[4.5rem]"));
  const histogram = element("div", HISTOGRAM_CLASS);
  const main = element(
    "div",
    "relative flex min-h-0 min-w-0 flex-1 flex-col",
    header,
    filters,
    histogram,
    list,
  );
  const shown = element(
    "div",
    "flex h-dvh flex-col",
    element("div", "flex min-h-0 flex-1 flex-col-reverse md:flex-row", navigation(), main),
  );
  // Links work, but a screen reader hears of the list when it can be used.
  shown.ariaHidden = "true";
  return shown;
}

function navigation(): HTMLElement {
  const places = PLACES.map(({ to, label, below }) => {
    const link = element("a", PLACE_CLASS, element("span", "size-[17px]"), text(label));
    link.href = to;
    link.tabIndex = -1;
    if (below.test(location.pathname)) link.ariaCurrent = "page";
    return element("div", "flex max-md:flex-1 md:flex-col", link);
  });
  return element(
    "div",
    NAVIGATION_CLASS,
    element(
      "div",
      "mb-4 flex items-center gap-2 px-1.5 py-1 max-md:hidden",
      element("span", "size-6"),
      element("span", "text-base font-semibold tracking-tight", text("Agate")),
    ),
    element("div", "mb-3 h-8 max-md:hidden"),
    element("div", "flex gap-0.5 max-md:flex-1 md:flex-col", ...places),
  );
}
