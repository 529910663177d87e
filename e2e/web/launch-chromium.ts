import chromium from "@sparticuz/chromium";
import { type Browser, type BrowserServer, chromium as playwright } from "playwright-core";

// For the benchmarks, which depend on this package for their browser.
export type { Browser, CDPSession, Page } from "playwright-core";

/** A Chromium of its own. */
export async function launchChromium(): Promise<Browser> {
  return playwright.launch(await launchOptions());
}

/** A Chromium that several processes share. */
export async function serveChromium(): Promise<BrowserServer> {
  return playwright.launchServer({ ...(await launchOptions()), host: "127.0.0.1" });
}

/**
 * A real Chromium from npm alone. Not with the arguments that the package offers, which are for a
 * sandbox of its own: they switch off what protects pages from each other, and end the browser with
 * its first page.
 */
async function launchOptions() {
  return {
    executablePath: await chromium.executablePath(),
    args: ["--no-sandbox", "--disable-gpu"],
    headless: true,
  };
}
