import { expect, it } from "vitest";
import { startQuickstart } from "../quickstart-platform.ts";
import { withPlatform } from "../with-platform.ts";

const { open, registry } = withPlatform(startQuickstart);
const CANARY = "canary-5b8efff798038103d269";
const VARIABLES = "/applications/quickstart/environments/staging/variables";

it("shows, sets, imports and unsets variables of an environment, and never a secret's value", async () => {
  await using web = await open("/apps/quickstart/environments/staging");
  const { page } = web;
  await page.getByText("No variables.").waitFor();
  await page.getByRole("button", { name: "New variable" }).click();
  const set = page.getByRole("dialog", { name: "New variable" });
  await set.getByLabel("Name").fill("PORT");
  await set.getByText("it cannot be set").waitFor();
  await set.getByLabel("Name").fill("TOKEN");
  await set.getByLabel("Value").fill(CANARY);
  await set.getByRole("button", { name: "Set" }).click();
  const row = (name: string) => page.getByRole("listitem").filter({ hasText: name });
  await row("TOKEN").getByText("Secret").waitFor();
  await row("TOKEN").getByText("Version 1 by local").waitFor();

  await page.getByRole("button", { name: "Import .env" }).click();
  const dialog = page.getByRole("dialog", { name: "Import .env" });
  await dialog.getByLabel("Content of the file").fill("REGION=eu\nPORT=80\nLEVEL='debug' # all\n");
  await dialog.getByText("Skips 1 name").waitFor();
  await web.expectAccessible();
  await dialog.getByLabel("Secret").uncheck();
  await dialog.getByRole("button", { name: "Set 2 variables" }).click();
  await row("REGION").getByText("Version 2").waitFor();
  await row("LEVEL").getByText("debug").waitFor();
  expect(await page.content()).not.toContain(CANARY);
  await web.expectAccessible();

  await page.getByRole("button", { name: "Unset REGION" }).click();
  const confirm = page.getByRole("dialog", { name: "Unset REGION" });
  await confirm.getByRole("button", { name: "Unset" }).click();
  await row("REGION").waitFor({ state: "detached" });
  const { items } = await registry<{ items: { name: string }[] }>("GET", VARIABLES);
  expect(items.map(({ name }) => name)).toEqual(["LEVEL", "TOKEN"]);
  web.expectNoFaults();
});
