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
