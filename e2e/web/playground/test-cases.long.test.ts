import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { startQuickstart } from "../quickstart-platform.ts";
import { withPlatform } from "../with-platform.ts";

const { open, registry } = withPlatform(startQuickstart);

const runButton = (page: Page) => page.getByRole("button", { name: /^Run( all \d+)?$/ });
const theCase = (page: Page, name: string) => page.getByRole("region", { name, exact: true });
const done = (page: Page, count = 1) =>
  expect.poll(() => page.getByText("Done", { exact: true }).count()).toBe(count);

describe("The playground", () => {
  it("keeps test cases, and runs one or all", async () => {
    await using web = await open("/apps/quickstart/playground?route=/retrieve");
    const { page } = web;
    const question = (name: string) =>
      theCase(page, name).getByRole("textbox", { name: "question" });
    await question("Case 1").fill("What is agate?");
    await theCase(page, "Case 1").getByRole("button", { name: "More actions for Case 1" }).click();
    await page.getByRole("menuitem", { name: "Duplicate" }).click();
    await expect.poll(() => question("Case 2").inputValue()).toBe("What is agate?");
    await page.getByRole("button", { name: "Add test case" }).click();
    await question("Case 3").fill("Where does it grow?");
    await theCase(page, "Case 3").getByRole("button", { name: "Run Case 3" }).click();
    await done(page, 1);
    await page.getByRole("button", { name: "Run all 3" }).click();
    await done(page, 3);
    await theCase(page, "Case 2").getByRole("button", { name: "More actions for Case 2" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    const next = theCase(page, "Case 3").getByRole("button", { name: /^Collapse inputs/ });
    await expect
      .poll(() => next.evaluate((button) => button === document.activeElement))
      .toBe(true);
    await theCase(page, "Case 3").getByRole("button", { name: "More actions for Case 3" }).click();
    await page.getByRole("menuitem", { name: "Rename" }).click();
    const name = page.getByRole("textbox", { name: "New name of Case 3" });
    await name.waitFor();
    await page.keyboard.type("Origins");
    await page.keyboard.press("Enter");
    await theCase(page, "Origins").waitFor();
    // Keyboard users continue from there.
    const more = page.getByRole("button", { name: "More actions for Origins" });
    await expect
      .poll(() => more.evaluate((button) => button === document.activeElement))
      .toBe(true);
    // They are restored after a reload.
    await web.open("/apps/quickstart/playground?route=/retrieve");
    await expect.poll(() => question("Origins").inputValue()).toBe("Where does it grow?");
    await page.getByRole("button", { name: "Reset" }).click();
    await page.getByRole("menuitem", { name: "Reset test cases" }).click();
    await expect.poll(() => question("Case 1").inputValue()).toBe("");
    await expect.poll(() => theCase(page, "Origins").count()).toBe(0);
    web.expectNoFaults();
  });

  it("adds a case to a new test set, which is bound to its route", async () => {
    await using web = await open("/apps/quickstart/playground?route=/retrieve");
    const { page } = web;
    const first = theCase(page, "Case 1");
    const dialog = page.getByRole("dialog", { name: "Add to test set" });
    await first.getByRole("textbox", { name: "question" }).fill("What is agate?");
    await first.getByRole("button", { name: "More actions for Case 1" }).click();
    await page.getByRole("menuitem", { name: "Add to test set" }).click();
    await dialog.waitFor();
    // A case has no output of its own.
    expect(await dialog.getByRole("checkbox").count()).toBe(0);
    await dialog.getByRole("textbox", { name: "Name" }).fill("from-playground");
    await dialog.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByText("1 row added to").waitFor();
    expect(await registry("GET", "/testsets/from-playground")).toMatchObject({
      rows: 1,
      bound_to: { application: "quickstart", route: "/retrieve" },
    });
    web.expectNoFaults();
  });

  it("can be used by everybody, wide and light, and on a phone in the dark", async () => {
    for (const configs of ["concise@1", "concise@1,thorough@1,schema:defaults"]) {
      await using web = await open(`/apps/quickstart/playground?route=/&configs=${configs}`);
      const { page } = web;
      const testCase = theCase(page, "Case 1");
      await testCase.getByRole("textbox", { name: "question" }).fill("What is agate?");
      await runButton(page).click();
      await done(page, configs.split(",").length);
      for (const [width, theme] of [
        [1280, "light"],
        [390, "dark"],
      ] as const) {
        await web.look({ width, theme });
        // Compared columns scroll inside; the page itself does not.
        await web.expectNoOverflow("html");
        await web.expectAccessible();
      }
      web.expectNoFaults();
    }
  });
});
