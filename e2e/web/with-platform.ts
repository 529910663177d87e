import type { Browser } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { askRegistry } from "./ask-registry.ts";
import { openBrowser } from "./open-browser.ts";
import { PageLender, type PageOptions } from "./page-lender.ts";
import type { WebPage } from "./web-page.ts";

export interface Platform extends AsyncDisposable {
  readonly url: string;
}

/** What the tests of a file share: one browser, and one platform. */
export interface PlatformTests<Started extends Platform> {
  /** The platform, once it is there: in tests, and in hooks that are registered after this. */
  platform(): Started;
  /** A page that is nowhere yet. */
  newPage(options?: PageOptions): Promise<WebPage>;
  /** A page at a path of the platform. */
  open(path: string, options?: PageOptions): Promise<WebPage>;
  /** Asks the registry, or changes it, over HTTP; the path is below `/registry`. */
  registry<Answer = unknown>(method: string, path: string, body?: unknown): Promise<Answer>;
}

/**
 * Starts a browser and a platform before the tests of this file, and ends both after them.
 *
 * @example
 * const { open } = withPlatform(startQuickstart);
 *
 * it("shows traces", async () => {
 *   await using web = await open("/traces");
 *   web.expectNoFaults();
 * });
 */
export function withPlatform<Started extends Platform>(
  start: () => Promise<Started>,
): PlatformTests<Started> {
  const parts = new AsyncDisposableStack();
  let running: { readonly platform: Started; readonly pages: PageLender } | undefined;
  beforeAll(async () => {
    const [browser, platform] = await Promise.all([useBrowser(parts), usePlatform(parts, start)]);
    running = { platform, pages: new PageLender(browser, platform.url) };
  });
  afterAll(() => parts.disposeAsync());

  const now = () => {
    if (running === undefined) throw new Error("The platform is not there before the first test.");
    return running;
  };
  const newPage = (options?: PageOptions) => now().pages.lend(options);
  return {
    platform: () => now().platform,
    newPage,
    async open(path, options) {
      const web = await newPage(options);
      await web.open(path);
      return web;
    },
    registry: (method, path, body) => askRegistry(now().platform.url, method, path, body),
  };
}

async function useBrowser(parts: AsyncDisposableStack): Promise<Browser> {
  const browser = await openBrowser();
  parts.defer(() => browser.close());
  return browser;
}

async function usePlatform<Started extends Platform>(
  parts: AsyncDisposableStack,
  start: () => Promise<Started>,
): Promise<Started> {
  return parts.use(await start());
}
