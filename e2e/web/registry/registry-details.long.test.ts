import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { startQuickstart } from "../quickstart-platform.ts";
import { withPlatform } from "../with-platform.ts";
import { commitTwice } from "./commit-twice.ts";

const APP = "/applications/quickstart";

const { newPage, open, registry } = withPlatform(startQuickstart);
beforeAll(() => commitTwice(registry));

const searchOf = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams);

describe("applications", () => {
  it("that are missing: says how to create the first, and that one is not found", async () => {
    await registry("POST", "/projects", { slug: "empty" });
    await using web = await open("/apps?project=empty");
    await web.page.getByText("No applications yet").waitFor();
    await web.page.getByText("agate deploy app.ts --app my-app").waitFor();
    await web.expectAccessible();
    await web.open("/apps/quickstarf");
    await web.page
      .getByRole("alert")
      .getByText(/No application "quickstarf"/)
      .waitFor();
    web.expectNoFaults();
  });
});

describe("a variant", () => {
  it("is forked, renamed and deleted; not while it is live", async () => {
    await using web = await open("/apps/quickstart/variants/thorough");
    const { page } = web;
    await page.getByRole("button", { name: "More actions for thorough" }).click();
    await page.getByRole("menuitem", { name: "Delete…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog").getByText("staging").first().waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Fork thorough@2" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("copy");
    await page.getByRole("dialog").getByRole("button", { name: "Fork" }).click();
    await page.getByRole("heading", { level: 1, name: "copy" }).waitFor();
    await page.getByText("forked from thorough@2").waitFor();
    await page.getByRole("button", { name: "More actions for copy" }).click();
    await page.getByRole("menuitem", { name: "Rename…" }).waitFor();
    await web.expectAccessible();
    await page.getByRole("menuitem", { name: "Rename…" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("other");
    await page.getByRole("dialog").getByRole("button", { name: "Rename" }).click();
    await page.getByRole("heading", { level: 1, name: "other" }).waitFor();
    await page.getByRole("button", { name: "More actions for other" }).click();
    await page.getByRole("menuitem", { name: "Delete…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByRole("heading", { level: 1, name: "quickstart" }).waitFor();
    web.expectNoFaults();
  });

  it("pages through revisions without end", async () => {
    await registry("POST", `${APP}/variants`, { slug: "long" });
    for (let base_revision = 0; base_revision < 51; base_revision++) {
      const params = { "/summarize": { sentences: 1 + (base_revision % 9) } };
      await registry("POST", `${APP}/variants/long/revisions`, { params, base_revision });
    }
    await using web = await open("/apps/quickstart/variants/long");
    const { page } = web;
    await page.getByRole("heading", { name: "@51" }).waitFor();
    expect(await page.getByRole("heading", { name: "@1", exact: true }).count()).toBe(0);
    await page.getByRole("button", { name: "Earlier revisions" }).click();
    await page.getByRole("heading", { name: "@1", exact: true }).waitFor();
    web.expectNoFaults();
  });
});

describe("a comparison", () => {
  it("names what is compared in the address, can be swapped, and says when nothing differs", async () => {
    await using web = await open("/apps/quickstart/compare");
    const { page } = web;
    await page.getByText("Choose two configurations").waitFor();
    await page.getByLabel("Before", { exact: true }).selectOption("env:staging");
    await page.getByLabel("After", { exact: true }).selectOption("thorough");
    await page.getByText(/^thorough@1 → thorough@3/).waitFor();
    expect(searchOf(page)).toEqual({ from: "env:staging", to: "thorough" });
    // Left out in the one commit, and set in the other: the code's default against that value.
    const summarize = page.getByRole("region", { name: "Changes in /summarize" });
    await summarize.getByText("Use two examples").first().waitFor();
    await page.getByRole("button", { name: "Swap" }).click();
    await page.getByText(/^thorough@3 → thorough@1/).waitFor();
    await page.getByLabel("Before: revision").selectOption("1");
    await page.getByText("Same configuration: no fields differ.").waitFor();
    expect(searchOf(page)).toEqual({ from: "thorough@1", to: "env:staging" });
    await web.open("/apps/quickstart/compare?from=thorough@9&to=env:staging");
    await page
      .getByRole("alert")
      .getByText(/has no revision 9/)
      .waitFor();
    web.expectNoFaults();
  });

  it("shows a word that changed in a long text, and the rest of it when asked to", async () => {
    const paragraphs = Array.from({ length: 60 }, (_, n) => `Rule ${n}: always cite the title.`);
    const prompt = paragraphs.join("\n");
    const changed = prompt.replace("Rule 40: always", "Rule 40: never");
    await registry("POST", `${APP}/variants`, { slug: "rules" });
    for (const [base_revision, text] of [prompt, changed].entries()) {
      const params = { "/summarize": { prompt: text } };
      await registry("POST", `${APP}/variants/rules/revisions`, { params, base_revision });
    }
    await using web = await open("/apps/quickstart/compare?from=rules@1&to=rules@2");
    const { page } = web;
    const summarize = page.getByRole("region", { name: "Changes in /summarize" });
    await summarize.getByText("never", { exact: true }).waitFor();
    const text = summarize.getByRole("paragraph").filter({ hasText: "Rule 40" });
    // Nothing has to be scrolled to find it.
    expect(await text.evaluate((box) => box.scrollHeight - box.clientHeight)).toBe(0);
    expect(await text.textContent()).not.toContain("Rule 1:");
    await web.expectAccessible();
    await summarize.getByRole("button", { name: "Show 39 unchanged lines" }).click();
    await expect.poll(() => text.textContent()).toContain("Rule 1:");
    web.expectNoFaults();
  });
});

describe("every page", () => {
  it("opens at its top, and is found again where it was left", async () => {
    await using web = await newPage({ width: 390, height: 500 });
    const { page } = web;
    const content = page.getByRole("main");
    const scrolled = () => content.evaluate((element) => element.scrollTop);
    await web.open("/apps/quickstart");
    await page.getByRole("link", { name: "thorough", exact: true }).waitFor();
    await content.evaluate((element) => element.scrollTo(0, 300));
    await page.getByRole("link", { name: "thorough", exact: true }).click();
    await page.getByText("More examples").waitFor();
    await expect.poll(scrolled).toBe(0);
    await page.goBack();
    await expect.poll(scrolled).toBeGreaterThan(0);
    web.expectNoFaults();
  });

  it.each([
    "/apps",
    "/apps/quickstart",
    "/apps/quickstart/variants/thorough",
    "/apps/quickstart/environments/staging",
    "/apps/quickstart/compare?from=thorough@2&to=thorough@3",
  ])("is accessible and fits, wide and light, and on a phone in the dark: %s", async (path) => {
    await using web = await open(path);
    const { page } = web;
    await page.getByRole("heading", { level: 1 }).waitFor();
    await expect.poll(() => page.getByRole("status", { name: "Loading" }).count()).toBe(0);
    for (const [width, theme] of [
      [1280, "light"],
      [390, "dark"],
    ] as const) {
      await web.look({ width, theme });
      await web.expectNoOverflow();
      await web.expectAccessible();
    }
    web.expectNoFaults();
  });
});
