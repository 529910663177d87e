import type { TestProject } from "vitest/node";
import { startOnDemand } from "../../packages/platform/src/stores/testing/on-demand.fixture.ts";
import { serveChromium } from "./launch-chromium.ts";

/** Vitest calls it once, before the first test: one Chromium for all test files. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { urls, end } = await startOnDemand({
    browser: async () => {
      const server = await serveChromium();
      return { address: server.wsEndpoint(), end: () => server.close() };
    },
  });
  project.provide("browser", urls.browser);
  return end;
}
