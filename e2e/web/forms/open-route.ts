import type { Page, Request } from "playwright-core";

/** Goes to a route of the forms' app in the playground, and waits for its form. */
export async function openRoute(page: Page, route: string): Promise<void> {
  await page.goto(`/apps/forms/playground?route=${route}`);
  await page.getByRole("heading", { level: 1, name: route }).waitFor();
}

/** Presses a button that sends the form; gives what was sent. */
export async function sentBy(page: Page, press: () => Promise<void>): Promise<SentCall> {
  const [request] = await Promise.all([page.waitForRequest(isRun), press()]);
  return request.postDataJSON();
}

export interface SentCall {
  readonly config: Readonly<Record<string, unknown>>;
  readonly inputs: unknown;
}

export function isRun(request: Request): boolean {
  return request.url().includes("/playground/run");
}

export function run(page: Page): Promise<void> {
  return page.getByRole("button", { name: "Run", exact: true }).click();
}
