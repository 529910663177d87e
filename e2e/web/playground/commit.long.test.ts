import type { Environment } from "@agate/protocol";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { startQuickstart } from "../quickstart-platform.ts";
import { withPlatform } from "../with-platform.ts";
import { variantsOf } from "./variants.ts";

const { open, registry } = withPlatform(startQuickstart);

const { makeVariant, commit, latest, send } = variantsOf(registry);

const openSummarize = (configs: string) =>
  open(`/apps/quickstart/playground?route=/summarize&configs=${configs}`);
const column = (page: Page) => page.getByRole("region", { name: /^Configuration/ });
const dialog = (page: Page) => page.getByRole("dialog");

describe("A commit", () => {
  it("shows what changes, keeps the other routes, and offers to deploy", async () => {
    await makeVariant("steady", { "/summarize": { tone: "plain" }, "/embed": { dimensions: 64 } });
    await using web = await openSummarize("steady@1");
    const { page } = web;
    await column(page).getByLabel("tone").selectOption("formal");
    await column(page).getByRole("button", { name: "Commit…" }).click();
    await dialog(page).getByText('"plain"').waitFor();
    await dialog(page).getByText('"formal"').waitFor();
    await web.expectAccessible();
    // One can write at once.
    await dialog(page).getByLabel("Message").waitFor();
    await page.keyboard.type("More formal");
    await dialog(page).getByRole("button", { name: "Commit", exact: true }).click();
    await dialog(page).getByText("steady@2").waitFor();
    expect(await latest("steady")).toMatchObject({
      params: { "/summarize": { tone: "formal" }, "/embed": { dimensions: 64 } },
      message: "More formal",
      variant: { revision: 2 },
    });
    await dialog(page).getByRole("button", { name: "Deploy…" }).click();
    await dialog(page).getByLabel("Environment").selectOption("staging");
    await dialog(page).getByRole("button", { name: "Deploy", exact: true }).click();
    await column(page).getByText("live in staging").waitFor();
    await expect.poll(() => new URL(page.url()).searchParams.get("configs")).toBe("steady@2");
    const { deployment } = await send<Environment>("GET", "/environments/staging");
    expect(deployment?.variant).toMatchObject({ slug: "steady", revision: 2 });
    // An earlier revision can be had again.
    await column(page).getByLabel("Revision of steady").selectOption("1");
    await expect.poll(() => column(page).getByLabel("tone").inputValue()).toBe("plain");
    web.expectNoFaults();
  });

  it("shows that a newer revision exists, and commits the chosen fields of both on top", async () => {
    await makeVariant("busy", { "/summarize": { tone: "plain", sentences: 3 } });
    await using web = await openSummarize("busy@1");
    const { page } = web;
    await column(page).getByLabel("tone").selectOption("formal");
    await column(page).getByRole("checkbox", { name: "bullets" }).check();
    await column(page).getByRole("button", { name: "Commit…" }).click();
    await dialog(page).getByLabel("Message").fill("Mine");
    const theirs = {
      "/summarize": { tone: "playful", sentences: 5 },
      "/retrieve": { topK: 4 },
    };
    await commit("busy", 1, theirs, "Playful, and longer");
    await dialog(page).getByRole("button", { name: "Commit", exact: true }).click();
    await dialog(page).getByText("A newer revision exists").waitFor();
    await dialog(page).getByText("Playful, and longer").waitFor();
    const field = (name: string) => dialog(page).getByRole("group", { name });
    await field("tone").getByText("conflict").waitFor();
    expect(
      await field("sentences")
        .getByRole("radio", { name: /^Theirs/ })
        .isChecked(),
    ).toBe(true);
    expect(await field("bullets").getByRole("radio", { name: /^Mine/ }).isChecked()).toBe(true);
    await dialog(page).getByRole("region", { name: "Changes in /retrieve" }).waitFor();
    await web.expectAccessible();
    const onTop = dialog(page).getByRole("button", { name: "Commit on top of busy@2" });
    expect(await onTop.isDisabled()).toBe(true);
    await field("tone").getByRole("radio", { name: /^Mine/ }).check();
    await onTop.click();
    await dialog(page).getByText("busy@3").waitFor();
    expect(await latest("busy")).toMatchObject({
      params: {
        "/summarize": { tone: "formal", sentences: 5, bullets: true },
        "/retrieve": { topK: 4 },
      },
      message: "Mine",
    });
    web.expectNoFaults();
  });
});
