import { type Browser, chromium } from "playwright-core";
import { inject } from "vitest";
import { askFor } from "../../packages/platform/src/stores/testing/on-demand.fixture.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** Where the browser of all test files is started on demand: shared-browser-setup.fixture.ts. */
    browser: string;
  }
}

/** Connects to the browser of all test files. Closing it closes the contexts that were made here, and no others. */
export async function openBrowser(): Promise<Browser> {
  return chromium.connect(await askFor<string>(inject("browser")));
}
