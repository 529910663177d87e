import { describe, expect, it } from "vitest";
import { startQuickstart } from "../quickstart-platform.ts";
import { withPlatform } from "../with-platform.ts";

const { newPage, open } = withPlatform(startQuickstart);

describe("the frame of every page", () => {
  it("keeps a menu open and in place when an answer arrives late", async () => {
    await using web = await newPage();
    const { page } = web;
    const answer = Promise.withResolvers<void>();
    await page.route("**/registry/projects", async (route) => {
      await answer.promise;
      await route.continue();
    });
    await web.open("/apps");
    await page.getByRole("button", { name: /theme/ }).click();
    const light = page.getByRole("menuitem", { name: "Light" });
    await light.waitFor();
    const menu = page.getByRole("menu");
    await menu.evaluate((element) => element.setAttribute("data-opened-first", ""));
    const arrived = page.waitForResponse("**/registry/projects");
    answer.resolve();
    await (await arrived).finished();
    // A frame after the answer was rendered.
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));
    expect(await menu.getAttribute("data-opened-first")).toBe("");
    expect(await menu.evaluate((element) => element.contains(document.activeElement))).toBe(true);
    expect(await page.getByRole("main").getByRole("menu").count()).toBe(1);
    await web.expectAccessible();
    await light.click();
    await menu.waitFor({ state: "detached" });
    web.expectNoFaults();
  });

  it("works where the browser blocks storage", async () => {
    await using web = await newPage({ own: {} });
    await web.page.addInitScript(() => {
      Object.defineProperty(window, "localStorage", {
        configurable: true,
        get() {
          throw new DOMException("denied", "SecurityError");
        },
      });
    });
    await web.open("/apps");
    await web.page.getByRole("heading", { level: 1, name: "Applications" }).waitFor();
    web.expectNoFaults();
  });

  it("has a skip link, announces page changes, and does not animate with reduced motion", async () => {
    await using web = await open("/apps");
    const { page } = web;
    await page.getByRole("link", { name: "quickstart" }).waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    const focused = page.getByRole("button", { name: "New application" });
    await expect.poll(() => focused.evaluate((it) => it === document.activeElement)).toBe(true);
    await page.getByRole("link", { name: "Traces" }).click();
    await page.getByRole("status").getByText("Traces · Agate").waitFor({ state: "attached" });
    await page.getByRole("heading", { level: 1, name: "Traces" }).waitFor();
    const seconds = await page.evaluate(() =>
      [...document.querySelectorAll("*")].map((element) => {
        const style = getComputedStyle(element);
        return Math.max(
          Number.parseFloat(style.transitionDuration),
          Number.parseFloat(style.animationDuration),
        );
      }),
    );
    expect(Math.max(...seconds)).toBeLessThan(0.001);
    web.expectNoFaults();
  });

  it("shows an error for an unknown page", async () => {
    await using web = await open("/traces/a/b/c");
    await web.page.getByRole("heading", { name: "Page not found" }).waitFor();
    await web.expectAccessible();
    web.expectNoFaults();
  });
});

describe("more than one project", () => {
  it("shows an error for an unknown project, and a way back", async () => {
    await using web = await open("/traces?project=gone");
    await web.page.getByRole("heading", { name: "No project “gone”" }).waitFor();
    await web.expectAccessible();
    await web.page.getByRole("link", { name: "Go to your project" }).click();
    await web.page.getByRole("button", { name: /default local/ }).waitFor();
    web.expectNoFaults();
  });
});
