import type { Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { workflowOpenapi } from "../../../packages/platform/src/server/routes/registry/testing/workflow-openapi.fixture.ts";
import type { Environment } from "../../../packages/protocol/src/registry/environment.ts";
import { startServer } from "../../running-server.ts";
import { withPlatform } from "../with-platform.ts";

const APP = "/applications/shop";
const temperature = { type: "number", default: 0.7, "x-ag-control": "number" };
const tone = { type: "string", default: "plain", "x-ag-control": "text-area" };

const { open, registry } = withPlatform(startServer);

// Build 1 with the field tone, set to another value, in production; build 2 without it in staging.
beforeAll(async () => {
  await registry("POST", "/applications", { slug: "shop" });
  const put = (environment: string, fields: Readonly<Record<string, object>>) =>
    registry("PUT", `${APP}/schema?environment=${environment}`, workflowOpenapi(fields));
  await put("production", { temperature, tone });
  await registry("POST", `${APP}/variants/default/revisions`, {
    params: { "/summarize": { tone: "formal" } },
    base_revision: 1,
  });
  await registry("POST", `${APP}/environments/production/deployments`, {
    variant: "default",
    revision: 2,
  });
  await put("staging", { temperature });
  await registry("PATCH", `${APP}/environments/staging/variables`, { set: { TOKEN: "x" } });
});

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

it("does not delete the environment that calls without one go to", async () => {
  await using web = await open("/apps/shop/environments/production");
  const { page } = web;
  await page.getByText("default", { exact: true }).first().waitFor();
  await page.getByRole("button", { name: "More actions for production" }).click();
  const deletion = page.getByRole("menuitem", { name: /^Delete…/ });
  expect(await deletion.getAttribute("aria-disabled")).toBe("true");
  await deletion.getByText("The default environment can't be deleted.").waitFor();
  await web.expectAccessible();
  web.expectNoFaults();
});

it("shows in the playground whose build is called, with its own fields", async () => {
  await using web = await open("/apps/shop/playground?route=/summarize");
  const { page } = web;
  const called = page.getByLabel("Called environment");
  await called.waitFor();
  // Calls go to staging, whose playground is on, and the form has its fields.
  expect(await called.inputValue()).toBe("");
  await page.getByLabel("temperature").first().waitFor();
  expect(await page.getByLabel("tone").count()).toBe(0);
  await called.selectOption("production");
  await page.getByLabel("tone").first().waitFor();
  await called.selectOption("");
  await page.getByLabel("tone").first().waitFor({ state: "detached" });
  const asked: string[] = [];
  page.on("request", (request) => {
    if (request.method() === "POST") asked.push(new URL(request.url()).pathname);
  });
  const run = page.getByRole("button", { name: "Run", exact: true });
  await page.getByRole("textbox", { name: "text" }).fill("A text.");
  await run.click();
  await expect.poll(() => asked).toEqual(["/services/shop/playground/run/summarize"]);
  await called.selectOption("staging");
  await expect.poll(() => new URL(page.url()).searchParams.get("environment")).toBe("staging");
  expect(await page.getByRole("textbox", { name: "text" }).inputValue()).toBe("A text.");
  await run.click();
  await expect.poll(() => asked[1]).toBe("/services/shop@staging/playground/run/summarize");
  await web.expectAccessible();

  await web.open("/apps/shop/playground?route=/summarize&environment=development");
  await page.getByText("No build is live in development").waitFor();
  await page.getByRole("link", { name: "Call another environment than development" }).click();
  await called.waitFor();
  web.expectNoFaults();
});
