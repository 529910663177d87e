import axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import { expect } from "vitest";

export interface PageOptions {
  /** Where the platform is. */
  readonly url: string;
  readonly width?: number;
  readonly height?: number;
  readonly theme?: "light" | "dark";
  /** Pixels of the screen for each of the page. */
  readonly scale?: number;
}

const PATIENCE_MS = 15_000;

/** A page of the browser, which remembers everything that went wrong in it. */
export interface WebPage extends AsyncDisposable {
  readonly page: Page;
  /** Goes to a path of the platform. */
  open(path: string): Promise<void>;
  /** Fails if the page threw, logged an error, broke the policy, or called another host. */
  expectNoFaults(): void;
  /** Fails if axe-core finds anything that WCAG 2.2 AA forbids. */
  expectAccessible(): Promise<void>;
}

/**
 * @example
 * await using web = await openPage(browser, { url: server.url });
 * await web.open("/traces");
 */
export async function openPage(browser: Browser, options: PageOptions): Promise<WebPage> {
  const { url, width = 1280, height = 800, theme = "light", scale = 1 } = options;
  const context = await browser.newContext({
    baseURL: url,
    viewport: { width, height },
    deviceScaleFactor: scale,
    colorScheme: theme,
    reducedMotion: "reduce",
    // axe-core is put into the page by the test; the page's own scripts are under the policy.
    bypassCSP: false,
    permissions: ["clipboard-read", "clipboard-write"],
  });
  const page = await context.newPage();
  // Before the test itself gives up, so that it says what it was waiting for.
  page.setDefaultTimeout(PATIENCE_MS);
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(`thrown: ${error.message}`));
  page.on("console", (message) => {
    // Of answers that the page handles, the browser logs a line as well.
    const isAnswer = message.text().startsWith("Failed to load resource");
    if (message.type() === "error" && !isAnswer) faults.push(`logged: ${message.text()}`);
  });
  page.on("request", (request) => {
    const target = request.url();
    if (!/^(?:data|blob):/.test(target) && new URL(target).origin !== new URL(url).origin) {
      faults.push(`asked another host: ${target}`);
    }
  });
  return {
    page,
    open: async (path) => {
      await page.goto(path);
    },
    expectNoFaults: () => expect(faults).toEqual([]),
    expectAccessible: async () => {
      // Over the debugger's protocol, which the page's policy does not reach.
      await page.evaluate(axe.source);
      const { violations } = await page.evaluate(() =>
        (globalThis as unknown as { axe: typeof axe }).axe.run(document, {
          runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
        }),
      );
      expect(
        violations.map(({ id, help, nodes }) => ({
          id,
          help,
          where: nodes.slice(0, 5).map(({ html, failureSummary }) => `${html}\n${failureSummary}`),
        })),
      ).toEqual([]);
    },
    [Symbol.asyncDispose]: () => context.close(),
  };
}
