import chromium from "@sparticuz/chromium";
import { chromium as playwright } from "playwright-core";
import type { TestProject } from "vitest/node";
import { startOnDemand } from "../../packages/platform/src/stores/testing/on-demand.fixture.ts";

/** Vitest calls it once, before the first test: one Chromium for all test files. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { urls, end } = await startOnDemand({
    /**
     * A real Chromium from npm alone. Not with the arguments that the package offers, which are for a
     * sandbox of its own: they switch off what protects pages from each other, and end the browser with
     * its first page.
     */
    browser: async () => {
      const server = await playwright.launchServer({
        executablePath: await chromium.executablePath(),
        args: ["--no-sandbox", "--disable-gpu"],
        headless: true,
        host: "127.0.0.1",
      });
      return { address: server.wsEndpoint(), end: () => server.close() };
    },
  });
  project.provide("browser", urls.browser);
  return end;
}
