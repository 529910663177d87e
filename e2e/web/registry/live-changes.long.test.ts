import type { Page } from "playwright-core";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import type {
  Deployment,
  Environment,
} from "../../../packages/protocol/src/registry/environment.ts";
import { descriptionOf } from "../description-of.ts";
import { startQuickstart } from "../quickstart-platform.ts";
import { withPlatform } from "../with-platform.ts";

const APP = "/applications/quickstart";

const { newPage, open, platform, registry } = withPlatform(startQuickstart);
beforeAll(async () => {
  const params = {
    "/summarize": {
      sentences: 4,
      prompt: "Answer from the text alone, in a line or two of rhyme.",
    },
  };
  await registry("POST", `${APP}/variants/thorough/revisions`, { params, base_revision: 1 });
});

const deploy = (environment: string, variant: string, revision: number, message = "") =>
  registry<Deployment>("POST", `${APP}/environments/${environment}/deployments`, {
    variant,
    revision,
    message,
  });
const live = async (environment: string) =>
  (await registry<Environment>("GET", `${APP}/environments/${environment}`)).deployment;
const dialogOf = (page: Page, name: string | RegExp) => page.getByRole("dialog", { name });

// What every test begins with: thorough@2 in staging, concise@1 in production.
beforeEach(async () => {
  await deploy("staging", "thorough", 2);
  await deploy("production", "concise", 1);
});

describe("changing what is live", () => {
  it("promotes what it says, field by field, with the message into the history", async () => {
    await using web = await open("/apps/quickstart");
    const { page } = web;
    const staging = page.getByRole("article", { name: "staging" });
    await staging.getByText("5 fields differ").waitFor();
    await staging.getByRole("button", { name: "Promote to production" }).click();
    const dialog = dialogOf(page, "Promote staging to production");
    await dialog.getByText("production: concise@1 → thorough@2", { exact: true }).waitFor();
    const summarize = dialog.getByRole("region", { name: "Changes in /summarize" });
    await expect.poll(() => summarize.getByRole("listitem").allInnerTexts()).toHaveLength(2);
    expect(await summarize.getByRole("listitem").nth(1).textContent()).toMatch(/sentences\s*2\s*4/);
    expect(await summarize.getByRole("deletion").allInnerTexts()).toContain("2");
    expect(await summarize.getByRole("insertion").allInnerTexts()).toContain("4");
    await web.expectAccessible();
    await dialog.getByLabel("Message").fill("Rhymes");
    await dialog.getByRole("button", { name: "Promote" }).click();

    await page.getByText("thorough@2 is live in production.").waitFor();
    await dialog.waitFor({ state: "detached" });
    expect(await live("production")).toMatchObject({
      variant: { slug: "thorough", revision: 2 },
      kind: "promotion",
      promoted_from: "staging",
      message: "Rhymes",
    });
    const production = page.getByRole("article", { name: "production" });
    await production.getByText("Promoted from staging by local").waitFor();
    await production.getByText("“Rhymes”").waitFor();
    await staging.getByText("Same as production").waitFor();
    await page.getByRole("link", { name: "History of production", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "production" }).waitFor();
    web.expectNoFaults();
  });

  it("rolls back to the deployment that it names, and to no other", async () => {
    const before = await deploy("production", "thorough", 1, "The good one");
    await deploy("production", "thorough", 2);
    await using web = await open("/apps/quickstart/environments/production");
    const { page } = web;
    await page.getByRole("button", { name: "Roll back", exact: true }).click();
    const dialog = dialogOf(page, "Roll back production");
    await dialog.getByText("production: thorough@2 → thorough@1", { exact: true }).waitFor();
    const since = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });
    const told = await dialog.getByText(/^Returns to/).textContent();
    expect(told).toContain("Returns to build 1, thorough@1, deployed by local (“The good one”).");
    expect(told).toContain(`It was live from ${since.format(Date.parse(before.deployed_at))} to`);
    await web.expectAccessible();
    await dialog.getByRole("button", { name: "Roll back" }).click();

    await page.getByText("thorough@1 is live in production.").waitFor();
    expect(await live("production")).toMatchObject({
      variant: { slug: "thorough", revision: 1 },
      kind: "rollback",
      rolled_back_to: before.id,
    });
    await page
      .getByText(/Rolled back to the deployment of/)
      .first()
      .waitFor();
    web.expectNoFaults();
  });

  it("rolls back to any entry of the history, after a look at the difference", async () => {
    await deploy("production", "thorough", 1);
    await deploy("production", "thorough", 2);
    await using web = await open("/apps/quickstart/environments/production");
    const { page } = web;
    const entry = page
      .getByRole("listitem")
      .filter({ has: page.getByRole("link", { name: "concise@1" }) })
      .first();
    await entry.getByRole("button", { name: "Compare with live thorough@2" }).click();
    await entry.getByRole("region", { name: "Changes in /summarize" }).waitFor();
    await entry.getByRole("button", { name: /^Roll back to this: build 1, concise@1/ }).click();
    const dialog = dialogOf(page, "Roll back production");
    await dialog.getByText("production: thorough@2 → concise@1", { exact: true }).waitFor();
    await dialog.getByRole("button", { name: "Roll back" }).click();
    await page.getByText("concise@1 is live in production.").waitFor();
    expect((await live("production"))?.variant).toMatchObject({ slug: "concise", revision: 1 });
    web.expectNoFaults();
  });

  it("says what an environment without code needs, promotes to it, and takes it down", async () => {
    await registry("POST", `${APP}/environments`, { slug: "eu" });
    await deploy("staging", "thorough", 1);
    await using web = await open("/apps/quickstart/variants/thorough");
    const { page } = web;
    await page.getByRole("button", { name: "Deploy thorough@1" }).click();
    const dialog = dialogOf(page, "Deploy thorough@1");
    await dialog.getByLabel("Environment").selectOption("eu");
    await dialog.getByText("eu: nothing → thorough@1", { exact: true }).waitFor();
    const summarize = dialog.getByRole("region", { name: "Configuration of /summarize" });
    await summarize.getByText("formal").waitFor();
    await dialog.getByRole("button", { name: "Deploy" }).click();
    const refusal = dialog.getByRole("alert");
    await refusal.getByText("No code is deployed to").waitFor();
    await refusal
      .getByText("agate deploy app.ts --app quickstart --environment eu", { exact: true })
      .waitFor();
    await web.expectAccessible();
    await dialog.getByRole("button", { name: "Cancel" }).click();

    await web.open("/apps/quickstart/environments/staging");
    await page.getByRole("button", { name: "More actions for staging" }).click();
    await page.getByRole("menuitem", { name: "Promote to eu…" }).click();
    const promotion = dialogOf(page, "Promote staging to eu");
    await promotion.getByText("eu: nothing → build 1, thorough@1", { exact: true }).waitFor();
    await promotion.getByRole("button", { name: "Promote" }).click();
    await page.getByText("thorough@1 is live in eu.").waitFor();
    await page.getByRole("link", { name: "History of eu", exact: true }).click();

    await page.getByRole("heading", { level: 1, name: "eu" }).waitFor();
    await page.getByRole("button", { name: "More actions for eu" }).click();
    await page.getByRole("menuitem", { name: "Delete…" }).click();
    const deletion = dialogOf(page, "Delete eu");
    await deletion.getByRole("button", { name: "Delete" }).click();
    await deletion.getByText("eu runs thorough@1. Take that down first.").waitFor();
    await deletion.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "More actions for eu" }).click();
    await page.getByRole("menuitem", { name: "Take down…" }).click();
    const takeDown = dialogOf(page, "Take down eu");
    await takeDown.getByText("eu: build 1, thorough@1 → nothing").waitFor();
    await takeDown.getByRole("button", { name: "Take down" }).click();
    await page.getByText("Nothing is live. Calls to eu").waitFor();
    expect(await live("eu")).toBeNull();
    await page.getByRole("button", { name: "More actions for eu" }).click();
    await page.getByRole("menuitem", { name: "Delete…" }).click();
    await deletion.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("heading", { level: 1, name: "quickstart" }).waitFor();
    await page.getByRole("article", { name: "eu" }).waitFor({ state: "detached" });
    web.expectNoFaults();
  });

  it("says for every value why the workflow does not take a revision, and loses nothing", async () => {
    // Committed before any workflow had told what it takes.
    const strict = "/applications/strict";
    await registry("POST", "/applications", { slug: "strict" });
    await registry("POST", `${strict}/variants`, { slug: "rude" });
    const params = { "/summarize": { sentences: 99, tone: "rude" } };
    await registry("POST", `${strict}/variants/rude/revisions`, {
      params,
      base_revision: 0,
    });
    const workflow = await fetch(`${platform().url}/services/quickstart/openapi.json`);
    await registry("PUT", `${strict}/schema`, await workflow.json());

    await using web = await open("/apps/strict/variants/rude", { theme: "dark" });
    const { page } = web;
    await page.getByRole("button", { name: "Deploy rude@1" }).click();
    const dialog = dialogOf(page, "Deploy rude@1");
    await dialog.getByLabel("Environment").selectOption("production");
    await dialog.getByLabel("Message").fill("Now or never");
    await dialog.getByRole("button", { name: "Deploy" }).click();
    const refusal = dialog.getByRole("alert");
    await refusal.getByText("No changes made").waitFor();
    expect(await refusal.getByRole("listitem").allInnerTexts()).toEqual([
      expect.stringContaining(
        '/summarize.tone is "rude", and must be "plain", "formal" or "playful".',
      ),
      expect.stringContaining("/summarize.sentences is 99, and must be 10 or less."),
    ]);
    expect(await dialog.getByLabel("Message").inputValue()).toBe("Now or never");
    expect(await dialog.getByLabel("Environment").inputValue()).toBe("production");
    await web.expectAccessible();
    web.expectNoFaults();
  });

  it("says that something else became live while the question stood, and asks again", async () => {
    await using web = await open("/apps/quickstart");
    const { page } = web;
    const promote = page
      .getByRole("article", { name: "staging" })
      .getByRole("button", { name: "Promote to production" });
    await promote.click();
    const dialog = dialogOf(page, "Promote staging to production");
    await dialog.getByText("production: concise@1 → thorough@2", { exact: true }).waitFor();
    await dialog.getByLabel("Message").fill("Typed before");
    await deploy("production", "thorough", 1);
    await dialog
      .getByText(/Changed while this dialog was open: local deployed build 1, thorough@1/)
      .waitFor();
    await dialog.getByText("production: thorough@1 → thorough@2", { exact: true }).waitFor();
    expect(await dialog.getByLabel("Message").inputValue()).toBe("Typed before");
    await dialog.getByRole("button", { name: "Cancel" }).click();
    // Back where the keyboard was.
    await expect.poll(() => promote.evaluate((it) => it === document.activeElement)).toBe(true);
    web.expectNoFaults();
  });

  it("does nothing that was not read: a change just before the button counts", async () => {
    await using web = await newPage();
    const { page } = web;
    // Never answered, so that this page gets no change events.
    await page.route("**/changes", () => {});
    await web.open("/apps/quickstart/environments/staging");
    await page.getByRole("button", { name: "Promote to production" }).click();
    const dialog = dialogOf(page, "Promote staging to production");
    await dialog.getByText("production: concise@1 → thorough@2", { exact: true }).waitFor();
    await deploy("staging", "concise", 1);
    await deploy("staging", "thorough", 1);
    await dialog.getByRole("button", { name: "Promote" }).click();
    await dialog.getByRole("alert").getByText("What is live has changed").waitFor();
    await dialog.getByText("production: concise@1 → thorough@1", { exact: true }).waitFor();
    expect((await live("production"))?.variant).toMatchObject({ slug: "concise", revision: 1 });
    await dialog.getByRole("button", { name: "Promote" }).click();
    await page.getByText("thorough@1 is live in production.").waitFor();
    expect((await live("production"))?.variant).toMatchObject({ slug: "thorough", revision: 1 });
    web.expectNoFaults();
  });
});

it("does not promote what the platform says is no longer live", async () => {
  await using web = await newPage();
  const { page } = web;
  await page.route("**/environments/production/promote", async (route) => {
    await deploy("staging", "thorough", 1);
    await route.continue();
  });
  await web.open("/apps/quickstart/environments/staging");
  await page.getByRole("button", { name: "Promote to production" }).click();
  const dialog = dialogOf(page, "Promote staging to production");
  await dialog.getByText("production: concise@1 → thorough@2", { exact: true }).waitFor();
  await dialog.getByRole("button", { name: "Promote" }).click();
  const refusal = dialog.getByRole("alert");
  await refusal.getByText("staging changed meanwhile").waitFor();
  expect((await live("production"))?.variant).toMatchObject({ slug: "concise", revision: 1 });
  await web.expectAccessible();
  await page.unroute("**/environments/production/promote");
  await refusal.getByRole("button", { name: "Reload" }).click();
  await refusal.waitFor({ state: "detached" });
  await dialog.getByText("production: concise@1 → thorough@1", { exact: true }).waitFor();
  await dialog.getByRole("button", { name: "Promote" }).click();
  await page.getByText("thorough@1 is live in production.").waitFor();
  web.expectNoFaults();
});

it("does once what is clicked twice", async () => {
  await using web = await open("/apps/quickstart/environments/staging");
  const { page } = web;
  await page.getByRole("button", { name: "Promote to production" }).click();
  const dialog = dialogOf(page, "Promote staging to production");
  await dialog.getByRole("button", { name: "Promote" }).dblclick();
  await page.getByText("thorough@2 is live in production.").waitFor();
  const { items } = await registry<{ items: readonly Deployment[] }>(
    "GET",
    `${APP}/environments/production/deployments`,
  );
  expect(items.slice(0, 2).map(({ kind }) => kind)).toEqual(["promotion", "deploy"]);
  web.expectNoFaults();
});

describe("a question that is closed before the answer is known", () => {
  it.each([
    [204, "Nothing is live in staging now."],
    [409, "No changes made: It is frozen."],
  ])("is answered nevertheless: %i", async (status, told) => {
    await using web = await newPage();
    const { page } = web;
    const { promise: closed, resolve: close } = Promise.withResolvers<void>();
    await page.route("**/environments/staging/deployment", async (route) => {
      await closed;
      const json = { detail: [{ type: "frozen", loc: [], msg: "It is frozen." }] };
      await route.fulfill(status === 204 ? { status } : { status, json });
    });
    await web.open("/apps/quickstart/environments/staging");
    await page.getByRole("button", { name: "More actions for staging" }).click();
    await page.getByRole("menuitem", { name: "Take down…" }).click();
    const dialog = dialogOf(page, "Take down staging");
    await dialog.getByRole("button", { name: "Take down" }).click();
    await dialog.getByText("Working…").waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    close();
    await page.getByRole("status").getByText(told).waitFor();
    web.expectNoFaults();
  });
});

describe("what others change", () => {
  it("appears without a reload: deployments, revisions, variants, environments", async () => {
    await using web = await open("/apps/quickstart");
    const { page } = web;
    const production = page.getByRole("article", { name: "production" });
    await production.getByRole("link", { name: "concise@1" }).waitFor();
    await deploy("production", "thorough", 2, "From elsewhere");
    await production.getByText("“From elsewhere”").waitFor();
    await registry("POST", `${APP}/variants/thorough/fork`, { slug: "elsewhere" });
    await page.getByRole("link", { name: "elsewhere", exact: true }).waitFor();
    await registry("POST", `${APP}/environments`, { slug: "canary" });
    await page.getByRole("article", { name: "canary" }).waitFor();
    await registry("DELETE", `${APP}/environments/canary`);
    await page.getByRole("article", { name: "canary" }).waitFor({ state: "detached" });

    await web.open("/apps/quickstart/variants/elsewhere");
    await page.getByRole("heading", { name: "@1" }).waitFor();
    const params = { "/summarize": { sentences: 7 } };
    const commit = { params, base_revision: 1, message: "Seven" };
    await registry("POST", `${APP}/variants/elsewhere/revisions`, commit);
    await page.getByText("Seven").waitFor();
    web.expectNoFaults();
  });
});

describe("a reader whose key may only read", () => {
  it("sees everything, and why nothing can be changed", async () => {
    const { key } = await registry<{ key: string }>("POST", "/keys", {
      name: "reader",
      scopes: ["read"],
    });
    await using web = await newPage();
    const { page } = web;
    await page.context().request.post("/session", { data: { key } });
    await web.open("/apps/quickstart");
    const reason = "Read-only: changes need a key with the admin scope.";
    const told = page.getByText(reason).filter({ visible: true });
    await told.waitFor();
    const staging = page.getByRole("article", { name: "staging" });
    const promote = staging.getByRole("button", { name: "Promote to production" });
    await promote.waitFor();
    expect(await promote.isDisabled()).toBe(true);
    expect(await descriptionOf(promote)).toBe(reason);
    // Shown to keyboard users as well, and pressing it does nothing else.
    await promote.focus();
    await expect.poll(() => told.count()).toBe(2);
    await page.keyboard.press("Enter");
    expect(await page.getByRole("dialog").count()).toBe(0);
    for (const name of ["New environment", "New variant", "Deploy thorough@2"]) {
      expect(await page.getByRole("button", { name }).isDisabled(), name).toBe(true);
    }
    await staging.getByRole("button", { name: "More actions for staging" }).click();
    const items = page.getByRole("menuitem");
    expect(await items.count()).toBeGreaterThan(4);
    for (const item of await items.all()) {
      expect(await item.getAttribute("aria-disabled"), (await item.textContent()) ?? "").toBe(
        "true",
      );
    }
    await page.keyboard.press("Escape");
    await web.open("/apps/quickstart/environments/production");
    await told.waitFor();
    expect(await page.getByRole("button", { name: "Roll back", exact: true }).isDisabled()).toBe(
      true,
    );
    await web.expectAccessible();
    web.expectNoFaults();
  });
});
