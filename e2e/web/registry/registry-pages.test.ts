import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { startQuickstart } from "../quickstart-platform.ts";
import { withPlatform } from "../with-platform.ts";
import { commitTwice } from "./commit-twice.ts";

const { open, platform, registry } = withPlatform(startQuickstart);
beforeAll(() => commitTwice(registry));

const searchOf = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams);

describe("applications", () => {
  it("are listed with their routes and what is live where, and not deleted while live", async () => {
    await using web = await open("/apps");
    const { page } = web;
    const row = page
      .getByRole("listitem")
      .filter({ has: page.getByRole("heading", { name: "quickstart" }) });
    await row.getByText("Running in development").waitFor();
    await row.getByText("/summarize").waitFor();
    const live = row.getByRole("list", { name: "Live in quickstart" }).getByRole("listitem");
    await expect
      .poll(() => live.allTextContents())
      .toEqual([
        "developmentbuild 1default@1",
        "stagingbuild 1thorough@1",
        "productionbuild 1concise@1",
      ]);
    await row.getByText(/deployed .* ago|deployed now/).waitFor();
    await row.getByRole("link", { name: "quickstart" }).click();
    await page.getByRole("heading", { level: 1, name: "quickstart" }).waitFor();

    await page.getByRole("button", { name: "More actions for quickstart" }).click();
    await page.getByRole("menuitem", { name: "Delete…" }).click();
    const dialog = page.getByRole("dialog", { name: "Delete quickstart" });
    await dialog.getByRole("button", { name: "Delete" }).click();
    await dialog.getByText("production runs concise@1. Take that down first.").waitFor();
    await dialog.getByText("staging runs thorough@1. Take that down first.").waitFor();
    web.expectNoFaults();
  });

  it("are made, renamed and deleted; a wrong name is said at the name", async () => {
    await using web = await open("/apps");
    const { page } = web;
    await page.getByRole("button", { name: "New application" }).click();
    const dialog = page.getByRole("dialog", { name: "New application" });
    await dialog.getByLabel("Name").fill("My Shop");
    await dialog.getByRole("button", { name: "Create" }).click();
    await dialog.getByRole("alert").getByText('such as "my-shop"').waitFor();
    await dialog.getByLabel("Name").fill("quickstart");
    await dialog.getByRole("button", { name: "Create" }).click();
    await dialog.getByRole("alert").getByText("Choose another slug").waitFor();
    await dialog.getByLabel("Name").fill("my-shop");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "my-shop" }).waitFor();
    await page.getByText("No variants yet").waitFor();
    await page.getByText("agate deploy app.ts --app my-shop").waitFor();

    await page.getByRole("button", { name: "More actions for my-shop" }).click();
    await page.getByRole("menuitem", { name: "Rename…" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("shop");
    await page.getByRole("dialog").getByRole("button", { name: "Rename" }).click();
    await page.getByRole("heading", { level: 1, name: "shop", exact: true }).waitFor();
    await page.getByRole("button", { name: "More actions for shop" }).click();
    await page.getByRole("menuitem", { name: "Delete…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByRole("heading", { level: 1, name: "Applications" }).waitFor();
    await page.getByRole("link", { name: "quickstart" }).waitFor();
    await page.getByRole("link", { name: "shop", exact: true }).waitFor({ state: "detached" });
    web.expectNoFaults();
  });
});

describe("a variant", () => {
  it("shows each revision with its changes and its whole configuration, and compares two", async () => {
    await using web = await open("/apps/quickstart/variants/thorough");
    const { page } = web;
    const revisions = page.getByRole("heading", { level: 3 });
    await expect.poll(() => revisions.allTextContents()).toEqual(["@3", "@2", "@1"]);
    const newest = page.getByRole("listitem").filter({ has: page.getByText("More examples") });
    await newest.getByRole("button", { name: "Changes and configuration" }).click();
    const changes = newest.getByRole("region", { name: "Changes in /summarize" });
    await changes.waitFor();
    const deleted = changes.getByRole("deletion");
    await expect.poll(() => deleted.allTextContents()).toEqual(["one example", "5"]);
    const inserted = changes.getByRole("insertion");
    await expect.poll(() => inserted.allTextContents()).toEqual(["two examples", "4"]);
    await changes.getByRole("button", { name: "Side by side" }).click();
    await changes.getByText("Before", { exact: true }).waitFor();
    await newest.getByRole("button", { name: "Full configuration" }).click();
    const whole = newest.getByRole("region", { name: "Configuration of /summarize" });
    await whole.getByText("Use two examples.").waitFor();
    // The commit did not set it: the registry stored the code's default.
    await whole.getByText("plain", { exact: true }).waitFor();
    await page.getByRole("link", { name: "live in staging" }).waitFor();
    const playground = page.getByRole("link", { name: "Open thorough@2 in playground" });
    const href = decodeURIComponent((await playground.getAttribute("href")) ?? "");
    expect(href).toBe("/apps/quickstart/playground?configs=thorough@2");

    await page.getByRole("checkbox", { name: "Select thorough@3 to compare" }).check();
    await page.getByRole("checkbox", { name: "Select thorough@1 to compare" }).check();
    await page.getByRole("link", { name: "Compare @1 and @3" }).click();
    await page.getByText(/^thorough@1 → thorough@3/).waitFor();
    expect(searchOf(page)).toEqual({ from: "thorough@1", to: "thorough@3" });
    web.expectNoFaults();
  });
});

describe("API keys", () => {
  it("are made, shown once, and revoked", async () => {
    await using web = await open("/apps");
    const { page } = web;
    await page.getByRole("button", { name: /theme and settings/ }).click();
    await page.getByRole("menuitem", { name: "API keys" }).click();
    await page.getByText("No keys yet").waitFor();
    await page.getByRole("button", { name: "New key" }).click();
    const asked = page.getByRole("dialog", { name: "New key" });
    await asked.getByLabel("Name").fill("ci");
    await asked.getByRole("checkbox", { name: /^ingest/ }).check();
    await web.expectAccessible();
    await asked.getByRole("button", { name: "Create" }).click();
    const made = page.getByRole("dialog", { name: "Key ci" });
    const key = (await made.getByText(/^ag_/).textContent()) ?? "";
    const authorization = { authorization: `Bearer ${key}` };
    const reads = () =>
      fetch(`${platform().url}/registry/applications`, { headers: authorization });
    expect((await reads()).status).toBe(200);
    await made.getByRole("button", { name: "Done, I've saved it" }).click();
    await page.getByText(`${key.slice(0, 11)}…`).waitFor();
    await expect.poll(() => page.getByText(key).count()).toBe(0);
    await page.getByRole("button", { name: "Revoke ci" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await page.getByText("No keys yet").waitFor();
    expect((await reads()).status).toBe(401);
    web.expectNoFaults();
  });
});
