import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { createWebPage, type WebPage } from "./web-page.ts";

export interface PageOptions {
  readonly width?: number;
  readonly height?: number;
  readonly theme?: "light" | "dark";
  /**
   * A context of its own: for a test that adds a script to every page, which cannot be taken back, looks
   * at what is loaded the first time, or needs what a context is born with (touch, another scale).
   */
  readonly own?: BrowserContextOptions;
}

const PATIENCE_MS = 60_000;
/** What tests listen to. */
const HEARD = ["console", "dialog", "pageerror", "request", "response"];

/**
 * Lends a browser's page to one test after the other, for a file's tests on one platform. A new one for
 * each costs twice as much: its scripts are compiled anew. A test that asks while it is lent gets another.
 */
export class PageLender {
  readonly #browser: Browser;
  readonly #url: string;
  #idle: Page | undefined;

  constructor(browser: Browser, url: string) {
    this.#browser = browser;
    this.#url = url;
  }

  async lend({ width = 1280, height = 800, theme, own }: PageOptions = {}): Promise<WebPage> {
    const page = (own === undefined && this.#take()) || (await this.#newPage(own));
    await page.setViewportSize({ width, height });
    await page.emulateMedia({
      colorScheme: theme ?? "light",
      reducedMotion: "reduce",
      forcedColors: "none",
    });
    // Before the test itself gives up, so that it says what it was waiting for.
    page.context().setDefaultTimeout(PATIENCE_MS);
    const origin = new URL(own?.baseURL ?? this.#url).origin;
    const leave = own === undefined ? () => this.#takeBack(page) : () => page.context().close();
    return createWebPage(page, origin, leave);
  }

  #take(): Page | undefined {
    const page = this.#idle;
    this.#idle = undefined;
    return page;
  }

  async #newPage(options: BrowserContextOptions = {}): Promise<Page> {
    const context = await this.#browser.newContext({
      baseURL: this.#url,
      permissions: ["clipboard-read", "clipboard-write"],
      ...options,
    });
    return context.newPage();
  }

  /** Leaves nothing of the test: no listeners, no second tabs, nothing stored. */
  async #takeBack(page: Page): Promise<void> {
    const context = page.context();
    try {
      for (const event of HEARD) page.removeAllListeners(event);
      await page.unrouteAll({ behavior: "ignoreErrors" });
      for (const other of context.pages()) if (other !== page) await other.close();
      await context.clearCookies();
      // Of the platform, but without the page's scripts, which would store something again.
      await page.goto("/health");
      const keepsTime = await page.evaluate(async () => {
        localStorage.clear();
        sessionStorage.clear();
        for (const { name } of await indexedDB.databases()) {
          if (name !== undefined) indexedDB.deleteDatabase(name);
        }
        return String(Date).includes("[native code]");
      });
      // A clock that a test has installed stays for good.
      if (this.#idle !== undefined || !keepsTime) await context.close();
      else this.#idle = page;
    } catch {
      // A page that cannot be tidied up, because it has crashed for example, is not lent again.
      await context.close();
    }
  }
}
