import type { Revision } from "@agate/protocol";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { withPlatform } from "../with-platform.ts";
import { startLabels } from "./labels-platform.ts";

const { open, platform, registry } = withPlatform(startLabels);

const dialog = (page: Page) => page.getByRole("dialog");
const playground = "/apps/tickets/playground?route=/label&configs=default@1";

/** Opens the dialog that adds a recorded call to a test set. */
async function openAddCase(page: Page, traceId: string): Promise<void> {
  await page.goto(`/traces/${traceId}`);
  await page.getByRole("button", { name: "Add to test set" }).click();
}

async function confirmAddCase(page: Page): Promise<void> {
  await dialog(page).getByRole("button", { name: "Add", exact: true }).click();
  await page.getByText("1 row added to").waitFor();
}

/** Edits the configuration in the playground, and runs the draft as an evaluation. */
async function evaluateDraft(page: Page, words: string): Promise<void> {
  await page.goto(playground);
  const column = page.getByRole("region", { name: /^Configuration/ });
  await column.getByRole("textbox", { name: "billing" }).fill(words);
  await column.getByText("1 changed").waitFor();
  await column.getByRole("button", { name: /^More actions for/ }).click();
  await page.getByRole("menuitem", { name: "Run as evaluation…" }).click();
  await dialog(page).getByLabel("Candidate", { exact: true }).waitFor();
}

it("leads from a call in production to a better revision", async () => {
  const wrong = await platform().label("I want my money back.");
  const right = await platform().label("Where is my invoice?");
  expect([wrong.data, right.data]).toEqual(["support", "billing"]);
  await using web = await open("/traces");
  const { page } = web;
  await openAddCase(page, wrong.trace_id);
  await dialog(page).getByRole("textbox", { name: "Name" }).fill("golden");
  await confirmAddCase(page);
  // What this call answered is what is expected of it.
  await openAddCase(page, right.trace_id);
  await dialog(page).getByLabel("Test set").selectOption("golden");
  await dialog(page)
    .getByLabel(/output as the expected/)
    .check();
  await confirmAddCase(page);
  await page.goto("/testsets/golden");
  await page
    .getByRole("row", { name: /money back/ })
    .getByRole("button", { name: /^Edit/ })
    .click();
  await dialog(page).getByRole("textbox", { name: "Expected" }).fill('"billing"');
  await dialog(page).getByRole("button", { name: "Apply" }).click();
  await page.getByRole("button", { name: "Commit", exact: true }).click();
  await dialog(page).getByRole("button", { name: "Commit", exact: true }).click();
  await page.getByText("Revision 3 committed.").waitFor();

  // One draft answers what was wrong, but no longer what was right.
  await evaluateDraft(page, "money");
  await dialog(page).getByText("2 cases × 2 columns = 4 calls").waitFor();
  await web.expectAccessible();
  await dialog(page).getByRole("button", { name: "Start" }).click();
  await page.getByText("candidate: scratch@1 · build 1").waitFor();
  await page.getByText("baseline: default@1 · build 1").waitFor();
  await page.getByRole("list", { name: "Gates" }).getByText("Failed").waitFor();
  await page.getByLabel("Only what got worse").check();
  const cases = page.getByRole("list", { name: "Cases" }).getByRole("listitem");
  await cases.getByText("money back").waitFor({ state: "detached" });
  await cases.getByText("Where is my invoice?").waitFor();
  await cases.getByText("−1.000").waitFor();
  await web.expectAccessible();

  // The other answers both.
  await evaluateDraft(page, "invoice, money");
  await dialog(page).getByRole("button", { name: "Start" }).click();
  await page.getByText("candidate: scratch@2 · build 1").waitFor();
  await page.getByRole("list", { name: "Gates" }).getByText("Passed").waitFor();
  await page.getByLabel("Only what got worse").check();
  await page.getByText("No case got worse.").waitFor();

  await page.goto(playground);
  const column = page.getByRole("region", { name: /^Configuration/ });
  await column.getByRole("textbox", { name: "billing" }).fill("invoice, money");
  await column.getByRole("button", { name: "Commit…" }).click();
  await dialog(page).getByLabel("Message").fill("Refunds are billing");
  await dialog(page).getByRole("button", { name: "Commit", exact: true }).click();
  await dialog(page).getByText("default@2").waitFor();
  const latest = "/applications/tickets/variants/default/revisions/latest";
  expect((await registry<Revision>("GET", latest)).params).toMatchObject({
    "/label": { billing: "invoice, money" },
  });
  // Production has not been touched by any of it.
  expect((await platform().label("I want my money back.")).data).toBe("support");
  await page.goto("/runs?application=tickets&evaluation=labels");
  await page.getByRole("img", { name: /right from the oldest.* 0.500, 1.000$/ }).waitFor();
  web.expectNoFaults();
});
