import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { call } from "../../dev/call.ts";
import { descriptionOf } from "../description-of.ts";
import { withPlatform } from "../with-platform.ts";
import { startWorkbench } from "./workbench-app.ts";

const { newPage, open, platform, registry } = withPlatform(startWorkbench);
const openRoute = (route: string) => open(`/apps/bench/playground?route=${route}`);
const runButton = (page: Page) => page.getByRole("button", { name: /^Run( all \d+)?$/ });
const theCase = (page: Page, name: string) => page.getByRole("region", { name, exact: true });
const columns = (page: Page) => page.getByRole("region", { name: /^Configuration/ });
const count = (page: Page, text: string) =>
  expect.poll(() => page.getByText(text, { exact: true }).count());

describe("A run", () => {
  it("shows what streams as it arrives, and keeps it when it is stopped", async () => {
    await using web = await openRoute("/wait");
    const { page } = web;
    const testCase = theCase(page, "Case 1");
    await testCase.getByRole("textbox", { name: "name" }).fill("agate");
    await runButton(page).click();
    await testCase.getByText("First of agate.").waitFor();
    await testCase.getByText("Running", { exact: true }).waitFor();
    await web.expectAccessible();
    await testCase.getByRole("button", { name: "Stop" }).click();
    await testCase.getByText("Stopped", { exact: true }).waitFor();
    // Keyboard users continue from here.
    const again = testCase.getByRole("button", { name: "Run Case 1" });
    expect(await again.evaluate((it) => it === document.activeElement)).toBe(true);
    await testCase.getByText("First of agate.").waitFor();
    await testCase.getByRole("link", { name: "Open trace" }).waitFor();
    // The function was told.
    const stops = `${platform().url}/services/bench/playground/run/stops`;
    await expect.poll(() => call(stops)).toMatchObject({ data: { stopped: 1 } });
    web.expectNoFaults();
  });

  it("shows the end of a long answer while it grows, all of it, and lets the reader scroll away", async () => {
    await using web = await openRoute("/pages");
    const { page } = web;
    await runButton(page).click();
    const output = page.getByRole("region", { name: "Output of Case 1" });
    await expect.poll(() => output.textContent()).toContain("Line 1 ");
    const box = output.locator("xpath=ancestor::*[@tabindex='0'][1]");
    const toEnd = () => box.evaluate((it) => it.scrollHeight - it.scrollTop - it.clientHeight);
    await expect.poll(() => output.textContent()).toContain("Line 200 ");
    await expect.poll(toEnd).toBeLessThan(2);
    await box.evaluate((it) => it.scrollTo(0, 0));
    await call(`${platform().url}/services/bench/playground/run/turn`);
    await expect.poll(() => output.textContent()).toContain("Line 400 ");
    expect(await box.evaluate((it) => it.scrollTop)).toBe(0);
    await theCase(page, "Case 1").getByText("Done", { exact: true }).waitFor();
    web.expectNoFaults();
  });

  it("waits for its turn where four are under way; all can be stopped at once", async () => {
    await using web = await openRoute("/wait");
    const { page } = web;
    await theCase(page, "Case 1").getByRole("textbox", { name: "name" }).fill("agate");
    for (let number = 2; number <= 6; number += 1) {
      await page.getByRole("button", { name: "More actions for Case 1" }).click();
      await page.getByRole("menuitem", { name: "Duplicate" }).click();
    }
    await page.getByRole("button", { name: "Run all 6" }).click();
    await count(page, "Running").toBe(4);
    await count(page, "Queued").toBe(2);
    await page.getByRole("button", { name: "Stop", exact: true }).first().click();
    await count(page, "Stopped").toBe(1);
    await count(page, "Running").toBe(4);
    await page.getByRole("button", { name: "Stop all" }).click();
    await count(page, "Stopped").toBe(6);
    web.expectNoFaults();
  });

  it("says why a function failed, where, and how it went", async () => {
    await using web = await openRoute("/fail");
    const { page } = web;
    await runButton(page).click();
    const failure = page.getByRole("alert").filter({ hasText: "The model is not there." });
    await failure.getByText("function_failed").waitFor();
    await failure.getByText("Stack trace").click();
    await failure.getByText(/at .*app\.ts/).waitFor();
    await page.getByRole("region", { name: "Trace of Case 1" }).getByText("fail").first().waitFor();
    await web.expectAccessible();
    web.expectNoFaults();
  });

  it("keeps what had arrived before a stream failed", async () => {
    await using web = await openRoute("/half");
    await runButton(web.page).click();
    await web.page.getByText("Too many questions.").first().waitFor();
    await web.page.getByText("too_many_questions").first().waitFor();
    await web.page.getByText("The first half,").first().waitFor();
    web.expectNoFaults();
  });

  it("takes any JSON where a route has no schema of its inputs", async () => {
    await using web = await openRoute("/free");
    const { page } = web;
    const editor = theCase(page, "Case 1").getByRole("textbox").first();
    const type = async (text: string) => {
      await editor.click();
      await page.keyboard.press("Control+A");
      await page.keyboard.press("Delete");
      await page.keyboard.type(text);
    };
    await type("nonsense");
    await runButton(page).click();
    await expect
      .poll(() => editor.evaluate((box) => box.contains(document.activeElement)))
      .toBe(true);
    await count(page, "Done").toBe(0);
    await type('[1, "two"]');
    await page.keyboard.press("Control+Enter");
    await count(page, "Done").toBe(1);
    await page.getByRole("list", { name: "Output of Case 1" }).getByText("got").waitFor();
    web.expectNoFaults();
  });

  it("can be set up and run where the editor does not arrive", async () => {
    await using web = await newPage({ own: {} });
    const { page } = web;
    let asked = 0;
    await page.route("**/assets/code-mirror*", (route) => {
      asked += 1;
      return route.abort();
    });
    await web.open("/apps/bench/playground?route=/free");
    // The page loads itself anew for a part that is missing, but only once.
    await expect.poll(() => asked).toBe(2);
    await theCase(page, "Case 1").getByRole("textbox").fill('{"a": 1}');
    await runButton(page).click();
    await count(page, "Done").toBe(1);
    expect(asked).toBe(2);
    web.expectNoFaults();
  });

  it("puts what only the workflow can refuse at its own field, until that is changed", async () => {
    await using web = await openRoute("/picky");
    const { page } = web;
    const word = columns(page).getByRole("textbox", { name: "word" });
    const text = theCase(page, "Case 1").getByRole("textbox", { name: "text" });
    await word.fill("bad");
    await text.fill("no");
    await runButton(page).click();
    await columns(page).getByText("Takes a kinder word.").waitFor();
    await theCase(page, "Case 1").getByText("Say something else.").waitFor();
    expect(await word.getAttribute("aria-invalid")).toBe("true");
    await word.fill("kind");
    await expect.poll(() => columns(page).getByText("Takes a kinder word.").count()).toBe(0);
    await theCase(page, "Case 1").getByText("Say something else.").waitFor();
    await text.fill("yes");
    await runButton(page).click();
    await count(page, "Done").toBe(1);
    web.expectNoFaults();
  });

  it("says what to do where no build serves the application", async () => {
    await registry("POST", "/applications", { slug: "idle" });
    const document = await (await fetch(`${platform().url}/services/bench/openapi.json`)).json();
    await registry("PUT", "/applications/idle/schema", document);
    await using web = await open("/apps/idle/playground?route=/stops");
    const { page } = web;
    await runButton(page).click();
    await page.getByText("No build serves idle").waitFor();
    await page.getByText("agate deploy app.ts --app idle").waitFor();
    await web.expectAccessible();
    web.expectNoFaults();
  });

  it("says that the workflow has crashed or is not there yet, and runs again when it is", async () => {
    await using web = await openRoute("/crash");
    const { page } = web;
    await runButton(page).click();
    const failure = page.getByRole("alert");
    await failure.getByText("bench stopped before it responded").waitFor();
    await failure.getByText(/See the terminal that runs it/).waitFor();
    const path = "**/services/bench/playground/run/nothing";
    const msg = "Build 2 of bench restarts in 8 s.";
    await page.route(path, (route) =>
      route.fulfill({
        status: 503,
        json: { detail: [{ loc: [], msg, type: "service_unavailable" }] },
      }),
    );
    await web.open("/apps/bench/playground?route=/nothing");
    await runButton(page).click();
    await failure.getByText("bench is not responding").waitFor();
    await failure.getByText(msg).waitFor();
    await web.expectAccessible();
    await page.unroute(path);
    await runButton(page).click();
    await page.getByText("Empty stream").waitFor();
    web.expectNoFaults();
  });

  it("says what to do where an application has told no routes, or not this one", async () => {
    await registry("POST", "/applications", { slug: "mute" });
    await using web = await open("/apps/mute/playground");
    await web.page.getByText("mute has no routes yet").waitFor();
    await web.expectAccessible();
    await web.open("/apps/bench/playground?route=/gone");
    await web.page.getByText("bench has no route /gone").waitFor();
    // The stream of its changes is refused after the page has said that it is not there.
    const { page } = web;
    const said = Promise.withResolvers<void>();
    await page.route("**/applications/gone/changes", async (route) => {
      await said.promise;
      await route.continue();
    });
    await web.open("/apps/gone/playground");
    const heading = page.getByRole("heading", { name: "No application “gone”" });
    await heading.waitFor();
    // A second question would get no answer, and the page would have nothing to show.
    await page.route(/applications\/gone\/(?!changes)/, () => {});
    const refused = page.waitForResponse(/applications\/gone\/changes/);
    said.resolve();
    await (await refused).finished();
    await page.evaluate(
      () => new Promise((shown) => requestAnimationFrame(() => setTimeout(shown))),
    );
    await web.expectAccessible();
    expect(await heading.isVisible()).toBe(true);
    web.expectNoFaults();
  });
});

it("brings what comes out into sight, and lets one type into a new case at once", async () => {
  await using web = await openRoute("/shout");
  const { page } = web;
  await page.setViewportSize({ width: 390, height: 500 });
  await theCase(page, "Case 1").getByRole("textbox", { name: "text" }).fill("hi");
  await runButton(page).click();
  const shown = page.getByText("Done", { exact: true });
  await shown.waitFor();
  const bottom = () => shown.evaluate((it) => it.getBoundingClientRect().bottom);
  await expect.poll(bottom).toBeLessThan(450);
  await page.getByRole("button", { name: "Add test case" }).click();
  const second = theCase(page, "Case 2").getByRole("textbox", { name: "text" });
  await expect.poll(() => second.evaluate((it) => it === document.activeElement)).toBe(true);
  web.expectNoFaults();
});

it("scrolls inside of its parts alone, with many cases and four configurations", async () => {
  await using web = await openRoute("/shout");
  const { page } = web;
  const add = page.getByRole("button", { name: "Add test case" });
  for (let number = 2; number <= 6; number += 1) await add.click();
  const main = page.getByRole("main");
  const beyond = () => main.evaluate((it) => it.scrollHeight - it.clientHeight);
  expect(await beyond()).toBe(0);
  await web.open(
    "/apps/bench/playground?route=/shout&configs=default@1,default@1,default@1,default@1",
  );
  await columns(page).nth(3).waitFor();
  expect(await beyond()).toBe(0);
  await web.expectNoOverflow();
  await page.setViewportSize({ width: 390, height: 800 });
  await web.expectNoOverflow();
  web.expectNoFaults();
});

it("follows the code: a saved change of the schema is there when one comes back, and the draft stays", async () => {
  await using web = await openRoute("/shout");
  const { page } = web;
  const marks = columns(page).getByRole("spinbutton", { name: "marks" });
  await marks.fill("7");
  await columns(page)
    .getByText(/Must be 5 or less \(got 7\)/)
    .waitFor();
  await platform().edit("le: 5", "le: 9");
  await platform().agate.printed(/eloaded|Ready|ready/);
  await page.evaluate(() => window.dispatchEvent(new Event("visibilitychange")));
  await expect
    .poll(() =>
      columns(page)
        .getByText(/5 or less/)
        .count(),
    )
    .toBe(0);
  expect(await marks.inputValue()).toBe("7");
  await theCase(page, "Case 1").getByRole("textbox", { name: "text" }).fill("hi");
  await runButton(page).click();
  await page.getByText("HI!!!!!!!").waitFor();
  web.expectNoFaults();
});

it("shows what a key may not do as disabled, with the reason", async () => {
  const guest = { name: "guest", scopes: ["read"] };
  const { key } = await registry<{ key: string }>("POST", "/keys", guest);
  await using web = await newPage();
  const { page } = web;
  await page.context().request.post("/session", { data: { key } });
  await web.open("/apps/bench/playground?route=/shout");
  await page.getByText("This key can't run workflows").filter({ visible: true }).waitFor();
  expect(await runButton(page).isDisabled()).toBe(true);
  const commit = columns(page).getByRole("button", { name: "Commit…" });
  await columns(page).getByRole("spinbutton", { name: "marks" }).fill("3");
  await columns(page).getByText("1 changed").waitFor();
  expect(await commit.isDisabled()).toBe(true);
  expect(await descriptionOf(commit)).toContain("admin");
  await web.expectAccessible();
  web.expectNoFaults();
});
