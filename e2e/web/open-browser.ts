import chromium from "@sparticuz/chromium";
import { type Browser, chromium as playwright } from "playwright-core";

/**
 * A real Chromium from npm alone. One for each test file: it takes a second to start. Not with the
 * arguments that the package offers, which are for a sandbox of its own: they switch off what
 * protects pages from each other, and end the browser with its first page.
 */
export async function openBrowser(): Promise<Browser> {
  return playwright.launch({
    executablePath: await chromium.executablePath(),
    args: ["--no-sandbox", "--disable-gpu"],
    headless: true,
  });
}
