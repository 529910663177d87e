import type { Run } from "@agate/protocol";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { withPlatform } from "../with-platform.ts";
import { startLabels } from "./labels-platform.ts";

const { open, registry } = withPlatform(startLabels);

const dialog = (page: Page) => page.getByRole("dialog");

it("is started, stopped and started again on the page", async () => {
  await using web = await open("/runs");
  const { page } = web;
  await page.getByRole("button", { name: "Start a run" }).click();
  await dialog(page).getByLabel("Evaluation").selectOption("endless");
  await dialog(page).getByText("2 calls").waitFor();
  await dialog(page).getByLabel("Trials").fill("101");
  await dialog(page).getByRole("button", { name: "Start" }).click();
  await dialog(page).getByText("Must be a whole number from 1 to 100.").waitFor();
  await dialog(page).getByLabel("Trials").fill("1");
  await dialog(page).getByLabel("Message").fill("How long?");
  await dialog(page).getByRole("button", { name: "Configure…" }).click();
  const scorers = page.getByRole("dialog", { name: "Scorers of tickets" });
  await scorers.getByRole("spinbutton", { name: "letters" }).fill("6");
  await web.expectAccessible();
  await scorers.getByRole("button", { name: "Commit" }).click();
  await dialog(page).getByText("revision 1", { exact: true }).waitFor();
  await web.expectAccessible();
  await web.look({ width: 390, theme: "dark" });
  await web.expectNoOverflow();
  await web.expectAccessible();
  await web.look({ width: 1280, theme: "light" });
  await dialog(page).getByRole("button", { name: "Start" }).click();
  // The page follows it: one of the two calls does not end.
  await page.getByText("1 of 2 calls").waitFor();
  await page.getByRole("progressbar", { name: "Progress" }).waitFor();
  // "support" has more letters than the scorer was configured with.
  await page.getByRole("list", { name: "Cases" }).getByText("candidate 0.000").waitFor();
  await web.expectAccessible();
  await page.getByRole("button", { name: "Stop" }).click();
  await dialog(page).getByRole("button", { name: "Stop" }).click();
  const end = page.getByRole("region", { name: "The run was stopped" });
  await end.getByText("Stopped on the page.").waitFor();
  await web.expectAccessible();
  await end.getByRole("button", { name: "Start again…" }).click();
  await expect.poll(() => dialog(page).getByLabel("Evaluation").inputValue()).toBe("endless");
  expect(await dialog(page).getByLabel("Message").inputValue()).toBe("How long?");
  const { items } = await registry<{ items: readonly Run[] }>("GET", "/runs?evaluation=endless");
  expect(items).toMatchObject([
    { status: "stopped", runner: "platform", message: "How long?", scorers_revision: 1 },
  ]);
  web.expectNoFaults();
});
