import type { Locator, Page } from "playwright-core";

/** The tree of the page of a trace. */
export const grid = (page: Page): Locator => page.getByRole("treegrid", { name: "Spans" });

/** The row of a span in the tree. */
export const row = (page: Page, name: string | RegExp): Locator =>
  grid(page).getByRole("row", { name });

/** The id of the chosen span, which is in the address. */
export const chosen = (page: Page): string | null => new URL(page.url()).searchParams.get("span");
