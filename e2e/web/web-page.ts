import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type axe from "axe-core";
import type { Page } from "playwright-core";
import { expect } from "vitest";

/** A page of the browser, which remembers everything that went wrong in it. */
export interface WebPage extends AsyncDisposable {
  readonly page: Page;
  /** Goes to a path of the platform. */
  open(path: string): Promise<void>;
  /** Resizes the page or changes the system's theme, and waits until the page is rendered so. */
  look(look: { readonly width?: number; readonly theme?: "light" | "dark" }): Promise<void>;
  /** Fails if the page threw, logged an error, broke the policy, or called another host. */
  expectNoFaults(): void;
  /** Fails if axe-core finds anything that WCAG 2.2 AA forbids. */
  expectAccessible(): Promise<void>;
  /** Fails if the page, or what is in it below the head, can be scrolled sideways. */
  expectNoOverflow(selector?: string): Promise<void>;
}

/** axe-core as a script, without its other half of comments and spaces: it is sent to every document. */
const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/**
 * @param origin Of the platform: requests to any other are faults.
 * @param leave What becomes of the page when its test is done with it.
 */
export function createWebPage(page: Page, origin: string, leave: () => Promise<void>): WebPage {
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(`thrown: ${error.message}`));
  page.on("console", (message) => {
    // Of answers that the page handles, the browser logs a line as well.
    const isAnswer = message.text().startsWith("Failed to load resource");
    if (message.type() === "error" && !isAnswer) faults.push(`logged: ${message.text()}`);
  });
  page.on("request", (request) => {
    const target = request.url();
    if (!/^(?:data|blob):/.test(target) && new URL(target).origin !== origin) {
      faults.push(`asked another host: ${target}`);
    }
  });
  return {
    page,
    open: async (path) => {
      await page.goto(path);
    },
    look: async ({ width, theme }) => {
      const height = page.viewportSize()?.height ?? 800;
      if (width !== undefined) await page.setViewportSize({ width, height });
      if (theme !== undefined) await page.emulateMedia({ colorScheme: theme });
      // The first frame fires the events of both; what they change is rendered by the next one.
      await page.evaluate(
        () =>
          new Promise((done) => {
            requestAnimationFrame(() => requestAnimationFrame(done));
          }),
      );
    },
    expectNoFaults: () => expect(faults).toEqual([]),
    expectAccessible: async () => {
      // Over the debugger's protocol, which the page's policy does not reach.
      if (!(await page.evaluate(() => "axe" in globalThis)))
        await page.evaluate(readFileSync(AXE, "utf8"));
      const { violations } = await page.evaluate(
        (runOnly) =>
          (globalThis as unknown as { axe: typeof axe }).axe.run(document, {
            runOnly,
            resultTypes: ["violations"],
            // Not reported here, and computing them takes longer than everything else.
            selectors: false,
          }),
        RULES,
      );
      expect(
        violations.map(({ id, help, nodes }) => ({
          id,
          help,
          where: nodes.slice(0, 5).map(({ html, failureSummary }) => `${html}\n${failureSummary}`),
        })),
      ).toEqual([]);
    },
    expectNoOverflow: async (selector = "html, main") => {
      const overflowing = () =>
        page
          .locator(selector)
          .evaluateAll((elements) =>
            elements
              .filter((element) => element.scrollWidth > element.clientWidth)
              .map(({ tagName, scrollWidth }) => `${tagName}: ${scrollWidth} px`),
          );
      await expect.poll(overflowing, { message: page.url() }).toEqual([]);
    },
    [Symbol.asyncDispose]: leave,
  };
}
