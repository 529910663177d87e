import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import type { Build } from "../../../packages/protocol/src/registry/build.ts";
import type { Environment } from "../../../packages/protocol/src/registry/environment.ts";
import { deployClient } from "../../deployments/deploy-client.fixture.ts";
import { openPacker, support } from "../../deployments/pack-workflow.fixture.ts";
import { startQuickstart } from "../quickstart-platform.ts";
import { withPlatform } from "../with-platform.ts";
import { commitTwice } from "./commit-twice.ts";

/** For tests of many pages, or with deploys, on a busy machine. */
const PATIENCE_MS = 90_000;

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

describe("builds", () => {
  it("are listed with what became of them; an earlier one serves again; the log is there", {
    timeout: PATIENCE_MS,
  }, async () => {
    await using packer = await openPacker();
    const client = deployClient(platform().url);
    const [one, two] = [await packer.pack(support("one")), await packer.pack(support("two"))];
    await client.mustDeploy(one, "?environment=production&commit=9fceb02d0ae598e9");
    await client.mustDeploy(two, "?environment=production");
    await client.mustDeploy(two, "?environment=staging");
    const refused = await client.deploy(await packer.pack("throw new Error('not today');"));
    expect(refused.ok).toBe(false);
    const builds = await registry<{ items: Build[] }>("GET", "/applications/support/builds");
    await using web = await open("/apps/support");
    const { page } = web;
    await page.getByText("Build 2 is running").waitFor();
    const build = (number: number) =>
      page
        .getByRole("listitem")
        .filter({ has: page.getByText(`Build ${number}`, { exact: true }) });
    await build(3).getByText("rejected", { exact: true }).waitFor();
    await build(3).getByText(String(builds.items[0]?.refusal)).waitFor();
    await build(1).getByText("9fceb02", { exact: true }).waitFor();
    await build(2).getByText("live in staging").waitFor();
    await build(2).getByText("live in production").waitFor();

    await build(1).getByRole("button", { name: "Activate build 1" }).click();
    const activation = page.getByRole("dialog", { name: "Activate build 1" });
    await activation.getByLabel("Environment").selectOption("production");
    await activation.getByText("production: build 2 → build 1", { exact: true }).waitFor();
    await web.expectAccessible();
    await activation.getByRole("button", { name: "Activate" }).click();
    await page.getByText("Build 1, default@1 is live in production.").waitFor();
    await build(1).getByText("live in production").waitFor();
    await build(2).getByText("live in staging").waitFor();
    const production = page.getByRole("article", { name: "production" });
    await production.getByText("default", { exact: true }).waitFor();
    await production.getByText("build 1", { exact: true }).waitFor();
    await production.getByText("9fceb02", { exact: true }).waitFor();

    await page.getByRole("button", { name: "Log" }).click();
    const log = page.getByRole("log");
    await log.getByText("staging", { exact: true }).first().waitFor();
    await log.getByText("Serving, as process").first().waitFor();
    await page.getByLabel("Environment of the log").selectOption("production");
    await log.getByText("Serving, as process").first().waitFor();
    expect(await log.getByText("staging", { exact: true }).count()).toBe(0);
    await web.expectAccessible();

    await build(2).getByRole("button", { name: "Stop build 2" }).click();
    const stop = page.getByRole("dialog", { name: "Stop build 2" });
    expect(await stop.getByLabel("Environment").inputValue()).toBe("staging");
    await stop.getByRole("button", { name: "Stop" }).click();
    await page.getByText("Nothing is live in staging now.").waitFor();
    await build(2).getByText("retired").waitFor();
    await build(1).getByText("live in production").waitFor();

    // The playground of the one environment that is live is off, as it is in production at first.
    await web.open("/apps/support/playground");
    const off = page.getByText("The playground is off in production: calls from here are refused.");
    await off.waitFor();
    await web.expectAccessible();
    await page.getByRole("link", { name: "Switch it on" }).click();
    await page.getByLabel("Playground calls in production").click();
    const isOn = async () =>
      (await registry<Environment>("GET", "/applications/support/environments/production"))
        .playground;
    await expect.poll(isOn).toBe(true);
    await page.goBack();
    await off.waitFor({ state: "detached" });
    web.expectNoFaults();
  });

  it("move with their revision from one environment to the next, step by step", {
    timeout: PATIENCE_MS,
  }, async () => {
    await using packer = await openPacker();
    const client = deployClient(platform().url, "moving");
    await client.mustDeploy(await packer.pack(support("one")), "?environment=staging");
    await using web = await open("/apps/moving");
    const { page } = web;
    const staging = page.getByRole("article", { name: "staging" });
    await staging.getByText("nothing live there").waitFor();
    await staging.getByRole("button", { name: "Promote to production" }).click();
    const dialog = page.getByRole("dialog", { name: "Promote staging to production" });
    await dialog.getByText("production: nothing → build 1, default@1", { exact: true }).waitFor();
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const sent: unknown[] = [];
    await page.route("**/environments/production/promote", async (route) => {
      sent.push(route.request().postDataJSON());
      await held;
      await route.continue();
    });
    await dialog.getByRole("button", { name: "Promote" }).click();
    await dialog.getByText("Working…").waitFor();
    release();
    await page.getByText("Build 1, default@1 is live in production.").waitFor();
    const { deployment } = await registry<{ deployment: { id: string } }>(
      "GET",
      "/applications/moving/environments/staging",
    );
    expect(sent).toEqual([{ from: "staging", expect: deployment.id, message: "" }]);
    await staging.getByText("Same as production").waitFor();
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

describe("redaction rules", () => {
  it("are tested on a text, saved, refused where they are wrong, and applied to spans", async () => {
    await using web = await open("/apps");
    const { page } = web;
    await page.getByRole("button", { name: /theme and settings/ }).click();
    await page.getByRole("menuitem", { name: "Redaction" }).click();
    await page.getByRole("checkbox", { name: "E-mail addresses" }).check();
    await page.getByLabel("Keys", { exact: true }).fill("password\nuser.email");
    await page.getByLabel("Custom patterns").fill("staff: (a+)+");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("A group cannot be repeated with +").waitFor();
    await page.getByLabel("Custom patterns").fill("staff: EMP-\\d{6}");
    await page
      .getByLabel("Text", { exact: true })
      .fill('{"password":"x","note":"EMP-123456 of joe@example.com"}');
    await page.getByRole("button", { name: "Test" }).click();
    const stored = '{"password":"[redacted]","note":"[redacted:staff] of [redacted:email]"}';
    await page.getByText(stored).waitFor();
    await web.expectAccessible();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Redaction rules saved.").waitFor();
    const saved = await (await fetch(`${platform().url}/registry/redaction`)).json();
    expect(saved).toMatchObject({
      keys: ["password", "user.email"],
      patterns: ["email"],
      custom: [{ name: "staff", regex: "EMP-\\d{6}" }],
    });
    await page.reload();
    await page.getByText(/Updated .* by local/).waitFor();
    expect(await page.getByLabel("Keys", { exact: true }).inputValue()).toBe(
      "password\nuser.email",
    );
    await fetch(`${platform().url}/registry/redaction`, {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: "{}",
    });
    web.expectNoFaults();
  });
});
