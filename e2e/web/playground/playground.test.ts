import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { startQuickstart } from "../quickstart-platform.ts";
import { withPlatform } from "../with-platform.ts";

const TEXT = "Agate is a stone with bands. It grows in lava. It is sold in shops.";

const { open } = withPlatform(startQuickstart);

const runButton = (page: Page) => page.getByRole("button", { name: /^Run( all \d+)?$/ });
const columns = (page: Page) => page.getByRole("region", { name: /^Configuration/ });
const theCase = (page: Page, name: string) => page.getByRole("region", { name, exact: true });
const done = (page: Page, count = 1) =>
  expect.poll(() => page.getByText("Done", { exact: true }).count()).toBe(count);

describe("The playground", () => {
  it("leads to the only application, whose routes stand beside it", async () => {
    await using web = await open("/playground");
    const { page } = web;
    // It begins with the one at the application's own address, wherever that is declared.
    await page.getByRole("heading", { level: 1, name: "/", exact: true }).waitFor();
    const routes = page.getByRole("navigation", { name: "Routes" });
    expect(await routes.getByRole("link").first().textContent()).toBe("/");
    await routes.getByRole("link", { name: "/summarize" }).click();
    await page.getByRole("heading", { level: 1, name: "/summarize" }).waitFor();
    const current = routes.getByRole("link", { name: "/summarize" });
    await expect.poll(() => current.getAttribute("aria-current")).toBe("page");
    await routes.getByRole("button", { name: "Hide routes" }).click();
    await page.getByRole("button", { name: "Show routes" }).click();
    await routes.getByRole("link", { name: "/retrieve" }).click();
    await page.getByRole("heading", { level: 1, name: "/retrieve" }).waitFor();
    // The next time one begins where one was.
    await web.open("/playground");
    await page.getByRole("heading", { level: 1, name: "/retrieve" }).waitFor();
    web.expectNoFaults();
  });

  it("streams a route's answer, with its latency, its tokens and its trace", async () => {
    await using web = await open("/apps/quickstart/playground?route=/summarize");
    const { page } = web;
    const input = theCase(page, "Case 1");
    await input.getByRole("textbox", { name: "text" }).fill(TEXT);
    await page.keyboard.press("Control+Enter");
    await done(page);
    const output = input.getByRole("region", { name: "Output of Case 1" });
    await expect.poll(() => output.textContent()).toContain("Agate is a stone with bands.");
    await expect.poll(() => input.textContent()).toMatch(/\d (?:ms|s)/);
    await expect.poll(() => input.textContent()).toMatch(/\d+ tokens/);
    const trace = input.getByRole("region", { name: "Trace of Case 1" });
    await trace.getByText("invoke_workflow summarize").waitFor();
    await trace.getByText("chat", { exact: true }).click();
    await web.expectAccessible();
    await trace.getByRole("link", { name: "Open trace" }).click();
    await page.waitForURL(/\/traces\/[0-9a-f]{32}/);
    web.expectNoFaults();
  });

  it("begins a draft with the first edit, puts it back, and runs only what is valid", async () => {
    await using web = await open("/apps/quickstart/playground?route=/&configs=concise@1");
    const { page } = web;
    const column = columns(page);
    await expect
      .poll(() => column.getByRole("spinbutton", { name: "sentences" }).inputValue())
      .toBe("2");
    await column.getByText("live in production").waitFor();
    const top = () => column.getByLabel("tone").evaluate((it) => it.getBoundingClientRect().top);
    const before = await top();
    await column.getByLabel("tone").selectOption("formal");
    await column.getByText("Draft of concise@1", { exact: true }).waitFor();
    // What one edits stays where it is.
    expect(await top()).toBe(before);
    await column.getByRole("checkbox", { name: "bullets" }).check();
    await column.getByText("2 changed").waitFor();
    const deploy = column.getByRole("button", { name: "Deploy…" });
    expect(await deploy.isDisabled()).toBe(true);
    await deploy.focus();
    await column.getByText("Commit the draft first.").filter({ visible: true }).waitFor();
    await column.getByRole("button", { name: "Revert", exact: true }).click();
    await expect.poll(() => column.getByText("Draft of").count()).toBe(0);
    expect(await column.getByLabel("tone").inputValue()).toBe("plain");

    // What the server would refuse is not run, and the focus goes there.
    const calls: string[] = [];
    page.on("request", (request) => {
      if (request.url().includes("/playground/run")) calls.push(request.url());
    });
    const sentences = columns(page).getByRole("spinbutton", { name: "sentences" });
    await sentences.fill("99");
    await page.getByText(/Must be 10 or less \(got 99\)/).waitFor();
    await runButton(page).click();
    await expect.poll(() => sentences.evaluate((box) => box === document.activeElement)).toBe(true);
    await sentences.fill("4");
    expect(calls).toEqual([]);
    // What only the workflow knows lands at its field when it has said so.
    await runButton(page).click();
    const question = theCase(page, "Case 1").getByRole("textbox", { name: "question" });
    await theCase(page, "Case 1").getByText("Ask something.").waitFor();
    expect(await question.getAttribute("aria-invalid")).toBe("true");
    await question.fill("What is agate?");
    await runButton(page).click();
    await done(page);
    expect(calls).toHaveLength(2);
    web.expectNoFaults();
  });

  it("compares configurations side by side, and marks what differs", async () => {
    await using web = await open("/apps/quickstart/playground?route=/&configs=concise@1");
    const { page } = web;
    await theCase(page, "Case 1").getByRole("textbox", { name: "question" }).fill("What is agate?");
    await page.getByRole("button", { name: "Compare" }).click();
    await page.getByRole("menuitem", { name: "thorough@1 (latest)" }).click();
    await page.getByRole("button", { name: "Compare" }).click();
    await page.getByRole("menuitem", { name: "staging: thorough@1" }).click();
    await page.getByRole("button", { name: "Compare" }).click();
    await page.getByRole("menuitem", { name: "Copy of the last column" }).click();
    await expect.poll(() => columns(page).count()).toBe(4);
    await expect
      .poll(() => new URL(page.url()).searchParams.get("configs"))
      .toBe("concise@1,thorough@1,env:staging,env:staging");
    const second = columns(page).nth(1).getByRole("definition");
    await expect
      .poll(() => second.allTextContents())
      .toContainEqual(expect.stringMatching(/"formal".*differs from the first column/));
    await columns(page).nth(3).getByRole("button", { name: "All fields" }).click();
    await columns(page).nth(3).getByLabel("tone").selectOption("playful");
    await expect
      .poll(() => columns(page).nth(3).getByText("differs", { exact: true }).count())
      .toBe(await second.count());
    await columns(page).nth(3).getByText("Draft of thorough@1", { exact: true }).waitFor();
    await runButton(page).click();
    await done(page, 4);
    await page
      .getByText(/tokens.*[+−]\d+%/)
      .first()
      .waitFor();
    const outputs = page.locator("[data-output]");
    await expect.poll(() => outputs.getByText("differs", { exact: true }).count()).toBe(3);
    await page.getByRole("button", { name: "Show differences" }).click();
    await page.getByRole("main").locator("ins, del").first().waitFor();
    await web.expectAccessible();
    await columns(page)
      .nth(2)
      .getByRole("button", { name: /^More actions for/ })
      .click();
    await page.getByRole("menuitem", { name: "Remove column" }).click();
    await expect.poll(() => columns(page).count()).toBe(3);
    await page.goBack();
    await expect.poll(() => columns(page).count()).toBe(4);
    await columns(page).nth(3).getByText("Draft of thorough@1", { exact: true }).waitFor();
    await page.goForward();
    await expect.poll(() => columns(page).count()).toBe(3);
    web.expectNoFaults();
  });
});
