import type { Page } from "playwright-core";

export const dialog = (page: Page) => page.getByRole("dialog");

/** Commits the edited table of a test set. */
export async function commit(page: Page, message: string): Promise<void> {
  await page.getByRole("button", { name: "Commit", exact: true }).click();
  await dialog(page).getByRole("textbox", { name: "Message" }).fill(message);
  await dialog(page).getByRole("button", { name: "Commit", exact: true }).click();
}
