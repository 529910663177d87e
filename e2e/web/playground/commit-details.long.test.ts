import type { ApplicationSchema, Revision } from "@agate/protocol";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { startQuickstart } from "../quickstart-platform.ts";
import { withPlatform } from "../with-platform.ts";
import { variantsOf } from "./variants.ts";

const { newPage, open, platform, registry } = withPlatform(startQuickstart);

const { makeVariant, commit, latest, send } = variantsOf(registry);

const openSummarize = (configs: string) =>
  open(`/apps/quickstart/playground?route=/summarize&configs=${configs}`);
const column = (page: Page) => page.getByRole("region", { name: /^Configuration/ });
const dialog = (page: Page) => page.getByRole("dialog");

describe("A commit", () => {
  it("loses nothing when one closes the dialog, and can give way to the other entirely", async () => {
    await makeVariant("gentle", { "/summarize": { tone: "plain" } });
    await using web = await openSummarize("gentle@1");
    const { page } = web;
    await column(page).getByLabel("tone").selectOption("formal");
    await commit("gentle", 1, { "/summarize": { tone: "playful" } }, "Playful");
    await column(page).getByText("gentle@2 is newer").waitFor();
    await column(page).getByRole("button", { name: "Commit…" }).click();
    await dialog(page).getByLabel("Message").fill("Formal");
    await dialog(page).getByRole("button", { name: "Commit", exact: true }).click();
    await dialog(page).getByRole("button", { name: "Keep draft" }).click();
    // The second dialog took the place of the first, which had taken the focus from the button.
    const asked = column(page).getByRole("button", { name: "Commit…" });
    await expect.poll(() => asked.evaluate((it) => it === document.activeElement)).toBe(true);
    expect(await column(page).getByLabel("tone").inputValue()).toBe("formal");
    await column(page).getByText("Draft of gentle@1", { exact: true }).waitFor();
    await column(page).getByRole("button", { name: "Commit…" }).click();
    expect(await dialog(page).getByLabel("Message").inputValue()).toBe("Formal");
    await dialog(page).getByRole("button", { name: "Commit", exact: true }).click();
    await dialog(page)
      .getByRole("radio", { name: /^Theirs/ })
      .check();
    await dialog(page).getByRole("button", { name: "Use gentle@2" }).click();
    await expect.poll(() => column(page).getByLabel("tone").inputValue()).toBe("playful");
    expect((await latest("gentle")).variant.revision).toBe(2);
    web.expectNoFaults();
  });

  it("is saved as a new variant beside a newer revision", async () => {
    await makeVariant("shared", { "/summarize": { tone: "plain" } });
    await using web = await openSummarize("shared@1");
    const { page } = web;
    await column(page).getByLabel("tone").selectOption("formal");
    await commit("shared", 1, { "/summarize": { tone: "playful" } }, "Playful");
    await column(page).getByRole("button", { name: "Commit…" }).click();
    await dialog(page).getByRole("button", { name: "Commit", exact: true }).click();
    await dialog(page).getByRole("button", { name: "Save as new variant…" }).click();
    const name = dialog(page).getByLabel("Variant name");
    await name.fill("Not A Slug");
    await dialog(page).getByRole("button", { name: "Save" }).click();
    await expect.poll(() => name.getAttribute("aria-invalid")).toBe("true");
    await name.fill("concise");
    await dialog(page).getByRole("button", { name: "Save" }).click();
    await dialog(page)
      .getByText(/There is a variant "concise" already/)
      .waitFor();
    await name.fill("own-way");
    await dialog(page).getByRole("button", { name: "Save" }).click();
    await dialog(page).getByText("own-way@2").waitFor();
    expect((await latest("own-way")).params).toMatchObject({ "/summarize": { tone: "formal" } });
    const { forked_from } = await send<{ forked_from: object }>("GET", "/variants/own-way");
    expect(forked_from).toMatchObject({ slug: "shared", revision: 1 });
    web.expectNoFaults();
  });

  it("makes a variant of the schema's defaults, with every value said", async () => {
    const newborn = "/applications/newborn";
    await registry("POST", "/applications", { slug: "newborn" });
    const document = await fetch(`${platform().url}/services/quickstart/openapi.json`);
    await registry("PUT", `${newborn}/schema`, await document.json());
    const address = "/apps/newborn/playground?route=/retrieve&configs=schema:defaults";
    await using web = await open(address);
    const { page } = web;
    await expect
      .poll(() => column(page).getByLabel("Configuration").inputValue())
      .toBe("schema:defaults");
    expect(await column(page).getByRole("spinbutton", { name: "topK" }).inputValue()).toBe("2");
    await column(page).getByRole("button", { name: "Commit…" }).click();
    expect(await dialog(page).getByLabel("Variant name").inputValue()).toBe("default-2");
    // What the registry adds is no change of the user's.
    await dialog(page).getByText("Same configuration: no fields differ.").waitFor();
    await dialog(page).getByRole("button", { name: "Save" }).click();
    await dialog(page).getByText("default-2@1").waitFor();
    const made = await registry<Revision>("GET", `${newborn}/variants/default-2/revisions/1`);
    expect(made.params["/retrieve"]).toEqual({ topK: 2, minScore: 0.12 });
    web.expectNoFaults();
  });

  it("puts what the registry refuses at its own field", async () => {
    await makeVariant("strict", { "/embed": { dimensions: 64 } });
    await using web = await newPage();
    const { page } = web;
    const schema = await send<ApplicationSchema>("GET", "/schema");
    // The page's idea of the schema is older than the registry's.
    const loosened = JSON.stringify(schema).replaceAll('"maximum":3072', '"maximum":9999');
    await page.route(
      "**/registry/applications/quickstart/schema?environment=development",
      (route) => route.fulfill({ contentType: "application/json", body: loosened }),
    );
    await web.open("/apps/quickstart/playground?route=/embed&configs=strict@1");
    await column(page).getByRole("spinbutton", { name: "dimensions" }).fill("5000");
    await column(page).getByRole("button", { name: "Commit…" }).click();
    await dialog(page).getByRole("button", { name: "Commit", exact: true }).click();
    await dialog(page)
      .getByText(/3072 or less \(got 5000\)/)
      .waitFor();
    await dialog(page).getByRole("button", { name: "Cancel" }).click();
    await column(page)
      .getByText(/3072 or less \(got 5000\)/)
      .waitFor();
    await column(page).getByRole("spinbutton", { name: "dimensions" }).fill("512");
    await expect
      .poll(() =>
        column(page)
          .getByText(/3072 or less/)
          .count(),
      )
      .toBe(0);
    web.expectNoFaults();
  });
});
