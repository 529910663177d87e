import { describe, expect, it } from "vitest";
import { startQuickstart } from "../quickstart-platform.ts";
import { withPlatform } from "../with-platform.ts";

const { open, platform, registry } = withPlatform(startQuickstart);

describe("the frame of every page", () => {
  it("links to every page, wide, on a phone and in forced colours", async () => {
    await using web = await open("/");
    const { page } = web;
    const main = page.getByRole("navigation", { name: "Main" });
    for (const width of [1280, 390]) {
      await web.look({ width });
      for (const [name, heading] of [
        ["Playground", /quickstart|playground|answer|embed|^\//i],
        ["Applications", "Applications"],
        ["Traces", "Traces"],
      ] as const) {
        await main.getByRole("link", { name }).click();
        await page.getByRole("heading", { level: 1, name: heading }).waitFor();
        const current = main.getByRole("link", { name });
        await expect.poll(() => current.getAttribute("aria-current")).toBe("page");
        expect(await main.locator("[aria-current]").count()).toBe(1);
        await web.expectNoOverflow();
      }
    }
    await web.look({ width: 1280 });
    await page.emulateMedia({ forcedColors: "active" });
    const outline = (name: string) =>
      main.getByRole("link", { name }).evaluate((it) => getComputedStyle(it).outlineStyle);
    await expect.poll(() => outline("Traces")).toBe("solid");
    expect(await outline("Applications")).toBe("none");
    web.expectNoFaults();
  });

  it("follows the theme of the system or the chosen one, and keeps the choice", async () => {
    await using web = await open("/apps", { theme: "dark" });
    const ground = () => web.page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const heading = web.page.getByRole("heading", { level: 1 });
    await heading.waitFor();
    const dark = await ground();
    await web.page.getByRole("button", { name: /theme/ }).click();
    await web.page.getByRole("menuitem", { name: "Light" }).click();
    await expect.poll(ground).not.toBe(dark);
    const light = await ground();
    await web.page.reload();
    await heading.waitFor();
    await expect.poll(ground).toBe(light);
    await web.page.getByRole("button", { name: /theme/ }).click();
    await web.page.getByRole("menuitem", { name: "System" }).click();
    await expect.poll(ground).toBe(dark);
    web.expectNoFaults();
  });

  it("jumps with Ctrl+K: to a route, to a trace by its id, to a search", async () => {
    const traceId = await platform().call("/", { inputs: { question: "What is agate?" } });
    await using web = await open("/traces");
    const { page } = web;
    await page.getByRole("heading", { level: 1 }).waitFor();
    const jumpTo = async (text: string) => {
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: /^Page, application/ }).fill(text);
      await page
        .getByRole("option", { name: new RegExp(text) })
        .first()
        .waitFor();
    };
    await jumpTo("summ");
    await web.expectAccessible();
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/apps\/quickstart\/playground\?route=\/summarize/);
    await jumpTo(traceId);
    await page.keyboard.press("Enter");
    await page.waitForURL(new RegExp(`/traces/${traceId}`));
    await jumpTo("quartz bands");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/traces\?q=quartz(?:\+|%20)bands/);
    await page.keyboard.press("Control+k");
    await page.keyboard.press("Escape");
    await page.getByRole("combobox", { name: /^Page, application/ }).waitFor({ state: "detached" });
    web.expectNoFaults();
  });
});

describe("more than one project", () => {
  it("lets an operator switch projects, with the project in the address", async () => {
    await registry("POST", "/projects", { slug: "other" });
    await using web = await open("/apps");
    const { page } = web;
    await page.getByRole("link", { name: "quickstart" }).first().waitFor();
    await page.getByRole("button", { name: /default local/ }).click();
    await page.getByRole("menuitem", { name: "other" }).click();
    await page.getByRole("button", { name: /other local/ }).waitFor();
    await page.getByRole("link", { name: "Applications" }).click();
    await page.waitForURL(/\/apps\?project=other/);
    await page.getByRole("heading", { level: 1, name: "Applications" }).waitFor();
    await expect.poll(() => page.getByRole("link", { name: "quickstart" }).count()).toBe(0);
    await page.reload();
    await page.getByRole("button", { name: /other local/ }).waitFor();
    web.expectNoFaults();
  });
});
