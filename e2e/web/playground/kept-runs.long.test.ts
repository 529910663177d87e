import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { withPlatform } from "../with-platform.ts";
import { startWorkbench } from "./workbench-app.ts";

const { newPage, open, platform, registry } = withPlatform(startWorkbench);
const openRoute = (route: string) => open(`/apps/bench/playground?route=${route}`);
const run = (page: Page) => page.getByRole("button", { name: /^Run( all \d+)?$/ }).click();
const theCase = (page: Page, name = "Case 1") => page.getByRole("region", { name, exact: true });
const output = (page: Page, text: string, name?: string) => theCase(page, name).getByText(text);

async function shout(page: Page, text: string): Promise<void> {
  await theCase(page).getByRole("textbox", { name: "text" }).fill(text);
  await run(page);
  await output(page, `${text.toUpperCase()}!`).waitFor();
}

/** Waits until the database has this many runs, in their last state: a run is saved when it starts, too. */
const kept = (page: Page, count = 1) =>
  expect
    .poll(() =>
      page.evaluate(async () => {
        const { promise, resolve, reject } = Promise.withResolvers<number>();
        const opening = indexedDB.open("agate-playground");
        opening.onerror = () => reject(opening.error);
        opening.onsuccess = () => {
          const database = opening.result;
          const reading = database.transaction("runs").objectStore("runs").getAll();
          reading.onsuccess = () => {
            const cells: { run: { head: string } }[] = reading.result.flatMap(({ cells }) => cells);
            const ended = cells.filter(({ run }) => JSON.parse(run.head).status !== "stopped");
            resolve(ended.length);
            database.close();
          };
        };
        return promise;
      }),
    )
    .toBe(count);

describe("An output", () => {
  it("survives a reload, another page and another route, with its figures and its trace", async () => {
    await using web = await openRoute("/shout");
    const { page } = web;
    await shout(page, "agate");
    await kept(page);
    await page.reload();
    await output(page, "AGATE!").waitFor();
    const mine = theCase(page);
    await mine.getByText("Done", { exact: true }).waitFor();
    await mine
      .getByText(/^\d+(\.\d+)? (ms|s)$/)
      .first()
      .waitFor();
    await mine.getByRole("row", { name: /shout/ }).waitFor();
    expect(await mine.getByText("edited since").count()).toBe(0);
    await web.expectAccessible();

    await page.getByRole("link", { name: "Traces", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "Traces" }).waitFor();
    await page.getByRole("link", { name: "Playground", exact: true }).click();
    await output(page, "AGATE!").waitFor();

    await page.getByRole("link", { name: "/stops", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "/stops" }).waitFor();
    expect(await output(page, "AGATE!").count()).toBe(0);
    await page.getByRole("link", { name: "/shout", exact: true }).click();
    await output(page, "AGATE!").waitFor();
    web.expectNoFaults();
  });

  it("survives a reload at the moment it is shown, before the database has it", async () => {
    await using web = await openRoute("/shout");
    const { page } = web;
    for (const word of ["agate", "onyx", "jasper", "opal", "beryl", "topaz"]) {
      await theCase(page).getByRole("textbox", { name: "text" }).fill(word);
      const loaded = page.waitForEvent("load");
      await page.evaluate((text) => {
        // In the task that shows the output: the save has not begun.
        new MutationObserver(() => {
          if (document.body.textContent.includes(text)) location.reload();
        }).observe(document.body, { childList: true, subtree: true, characterData: true });
      }, `${word.toUpperCase()}!`);
      await run(page);
      await loaded;
      await output(page, `${word.toUpperCase()}!`).waitFor();
      await theCase(page).getByText("Done", { exact: true }).waitFor();
    }
    web.expectNoFaults();
  });

  it("is marked where something was edited after it, also after a reload", async () => {
    await using web = await openRoute("/shout");
    const { page } = web;
    await shout(page, "agate");
    await theCase(page).getByRole("textbox", { name: "text" }).fill("onyx");
    await theCase(page).getByText("edited since").waitFor();
    // Without waiting for anything: leaving the page keeps what is there.
    await page.getByRole("link", { name: "Traces", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "Traces" }).waitFor();
    await page.goBack();
    await output(page, "AGATE!").waitFor();
    await theCase(page).getByText("edited since").waitFor();
    web.expectNoFaults();
  });

  it("of each column and case comes back to its own place", async () => {
    await using web = await openRoute("/shout");
    const { page } = web;
    await shout(page, "agate");
    await page.getByRole("button", { name: "Add test case" }).click();
    await theCase(page, "Case 2").getByRole("textbox", { name: "text" }).fill("onyx");
    await run(page);
    await output(page, "ONYX!", "Case 2").waitFor();
    await theCase(page).getByRole("button", { name: "More actions for Case 1" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await kept(page);
    await page.reload();
    await output(page, "ONYX!", "Case 2").waitFor();
    expect(await page.getByText("AGATE!").count()).toBe(0);
    web.expectNoFaults();
  });

  it("that was under way is stopped, and what had arrived stays", async () => {
    await using web = await openRoute("/wait");
    const { page } = web;
    await theCase(page).getByRole("textbox", { name: "name" }).fill("agate");
    await run(page);
    await output(page, "First of agate.").waitFor();
    await page.getByRole("link", { name: "Traces", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "Traces" }).waitFor();
    await page.goBack();
    await output(page, "First of agate.").waitFor();
    await theCase(page).getByText("Stopped", { exact: true }).waitFor();
    web.expectNoFaults();
  });

  it("that failed comes back with its reason", async () => {
    await using web = await openRoute("/fail");
    const { page } = web;
    await run(page);
    await output(page, "The model is not there.").first().waitFor();
    await kept(page);
    await page.reload();
    await theCase(page).getByRole("alert").getByText("The model is not there.").first().waitFor();
    await theCase(page).getByText("Stack trace").waitFor();
    web.expectNoFaults();
  });

  it("of 1 MB is kept; of one of 5 MB it is said that it was not", async () => {
    await using web = await openRoute("/long");
    const { page } = web;
    const length = theCase(page).getByRole("spinbutton", { name: "length" });
    const shown = (count: string) => output(page, count).filter({ visible: true }).first();
    await length.fill("1000000");
    await run(page);
    await shown("1000000").waitFor();
    await kept(page);
    await page.reload();
    await shown("1000000").waitFor();
    await length.fill("5000000");
    await run(page);
    await shown("5000000").waitFor();
    await page.getByRole("link", { name: "/stops", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "/stops" }).waitFor();
    await page.getByRole("link", { name: "/long", exact: true }).click();
    await output(page, "Output too long to save.").waitFor();
    await theCase(page).getByRole("link", { name: "Open trace" }).waitFor();
    await web.expectAccessible();
    web.expectNoFaults();
  });

  it("of one tab is not overwritten by another tab that runs something else", async () => {
    await using web = await openRoute("/shout");
    const { page } = web;
    // The address has the cases a moment after the page is loaded, and after a pause in typing.
    await expect.poll(() => new URL(page.url()).hash).not.toBe("");
    const empty = page.url();
    await shout(page, "agate");
    await kept(page);
    await expect.poll(() => page.url()).not.toBe(empty);
    const tab = await page.context().newPage();
    await tab.goto(page.url());
    // The same columns and cases: the same output.
    await output(tab, "AGATE!").waitFor();
    await shout(tab, "onyx");
    await kept(tab, 2);
    await page.reload();
    await output(page, "AGATE!").waitFor();
    await tab.reload();
    await output(tab, "ONYX!").waitFor();
    web.expectNoFaults();
  });

  it("is of its project alone", async () => {
    const schema = await (await fetch(`${platform().url}/services/bench/openapi.json`)).json();
    await registry("POST", "/projects", { slug: "beside" });
    for (const project of ["default", "beside"]) {
      const ask = (method: string, path: string, body: unknown) =>
        fetch(`${platform().url}/registry/applications${path}`, {
          method,
          headers: { "content-type": "application/json", "agate-project": project },
          body: JSON.stringify(body),
        });
      await ask("POST", "", { slug: "idle" });
      await ask("PUT", "/idle/schema", schema);
    }
    await using web = await open("/apps/idle/playground?route=/stops");
    const { page } = web;
    await run(page);
    await page.getByText("No build serves idle").waitFor();
    await kept(page);
    await web.open("/apps/idle/playground?route=/stops&project=beside");
    await page.getByText("Not run yet").waitFor();
    await web.open("/apps/idle/playground?route=/stops&project=default");
    await page.getByText("No build serves idle").waitFor();
    web.expectNoFaults();
  });

  it("is shown once where the browser has no database for the page", async () => {
    await using web = await newPage({ own: {} });
    const { page } = web;
    await page.addInitScript(() => {
      Object.defineProperty(window, "indexedDB", { value: undefined });
    });
    await web.open("/apps/bench/playground?route=/shout");
    await shout(page, "agate");
    await page.reload();
    await page.getByText("Not run yet").waitFor();
    web.expectNoFaults();
  });
});
