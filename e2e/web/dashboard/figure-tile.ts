import type { Page } from "playwright-core";

/** What a tile says: its name, its value, the change, and more about it. */
export async function figure(page: Page, label: string): Promise<readonly string[]> {
  const tile = page.getByRole("listitem", { name: label });
  const [name, value, size, about] = await tile.locator("span:not(:has(span))").allTextContents();
  const arrow = tile.getByRole("img");
  const direction = (await arrow.count()) === 0 ? "" : await arrow.getAttribute("aria-label");
  return [name, value, `${direction} ${size}`.trim(), about].map((text) => text ?? "");
}

/** The value of the tile "Calls". */
export async function calls(page: Page): Promise<string | undefined> {
  return (await figure(page, "Calls"))[1];
}
