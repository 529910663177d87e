import type { Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import type { Environment } from "../../../packages/protocol/src/registry/environment.ts";
import { startServer } from "../../running-server.ts";
import { withPlatform } from "../with-platform.ts";
import { makeShop } from "./make-shop.ts";

const APP = "/applications/shop";
const { open, registry } = withPlatform(startServer);

beforeAll(() => makeShop(registry));

const liveBuild = async (environment: string) =>
  (await registry<Environment>("GET", `${APP}/environments/${environment}`)).deployment?.build
    ?.number;
const dialogOf = (page: Page, name: string) => page.getByRole("dialog", { name });

it("promotes code or configuration alone, drops values only if told to, and rolls both back", async () => {
  await using web = await open("/apps/shop");
  const { page } = web;
  const production = page.getByRole("article", { name: "production" });
  await production.getByText("default", { exact: true }).waitFor();
  await production.getByText("build 1", { exact: true }).waitFor();
  await production.getByText("runs elsewhere").waitFor();
  const staging = page.getByRole("article", { name: "staging" });
  await staging.getByText("build 1 there, ").waitFor();
  await staging.getByRole("button", { name: "Promote to production" }).click();
  const dialog = dialogOf(page, "Promote staging to production");
  await dialog.getByText("production: build 1 → build 2", { exact: true }).waitFor();
  await dialog
    .getByText("/summarize.tone is ignored: the build has no such field.", { exact: true })
    .waitFor();
  await dialog.getByText("production lacks a variable that staging has: TOKEN.").waitFor();
  await dialog.getByRole("button", { name: "Configuration only" }).click();
  await dialog.getByText("build 1, default@2 is already live in production.").waitFor();
  await dialog.getByRole("button", { name: "Code only" }).click();
  await dialog.getByText("production: build 1 → build 2", { exact: true }).waitFor();
  await dialog.getByRole("button", { name: "Promote" }).click();
  const refusal = dialog.getByRole("alert");
  await refusal.getByText('would run a revision that sets /summarize.tone to "formal"').waitFor();
  await web.expectAccessible();
  expect(await liveBuild("production")).toBe(1);
  await refusal.getByLabel("Drop them: apply the change nonetheless").check();
  await dialog.getByRole("button", { name: "Promote" }).click();
  await page.getByText("Build 2, default@2 is live in production. 1 value is ignored.").waitFor();
  expect(await liveBuild("production")).toBe(2);
  await staging.getByText("Same as production").waitFor();

  await page.getByRole("link", { name: "History of production", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "production" }).waitFor();
  await page.getByRole("button", { name: "Roll back", exact: true }).click();
  const rollback = dialogOf(page, "Roll back production");
  await rollback.getByText("production: build 2 → build 1", { exact: true }).waitFor();
  await rollback.getByRole("button", { name: "Roll back" }).click();
  await page.getByText("Build 1, default@2 is live in production.").waitFor();
  expect(await liveBuild("production")).toBe(1);
  web.expectNoFaults();
});
