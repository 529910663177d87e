import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { sendOtlp } from "../../send-otlp.ts";
import { startQuickstart } from "../quickstart-platform.ts";
import { withPlatform } from "../with-platform.ts";
import { sendTraces } from "./sent-trace.ts";

const { newPage, open, platform } = withPlatform(startQuickstart);

const send = (application: string, ...names: readonly string[]) =>
  sendTraces(
    platform().url,
    // A millisecond apart, so that the last one is the newest.
    names.map((name, n) => ({ name, application, start: Date.now() - names.length + n })),
  );
const names = (page: Page) =>
  page.getByRole("grid").getByRole("row").getByRole("link").allInnerTexts();
const live = (page: Page) => page.getByRole("button", { name: "Live", exact: true });
const link = (page: Page, name: string) => page.getByRole("link", { name, exact: true });

describe("the live tail", () => {
  it("adds new traces on top, changes rows in place, and leaves out what does not match", async () => {
    await using web = await newPage();
    const { page } = web;
    const [first] = await send("tail", "first");
    await web.open("/traces?application=tail&live=on");
    await link(page, "first").waitFor();
    expect(await live(page).getAttribute("aria-pressed")).toBe("true");
    await send("elsewhere", "stranger");
    await send("tail", "second", "third");
    await expect.poll(() => names(page)).toEqual(["third", "second", "first"]);
    // Spans that come late change what is known of a trace, not where it stands.
    await sendOtlp(platform().url, [{ ...first!, status: { code: 2, message: "It broke." } }]);
    await page.getByText("It broke.").waitFor();
    expect(await names(page)).toEqual(["third", "second", "first"]);
    web.expectNoFaults();
  });

  it("removes a trace that stops matching, also one that waits to be shown", async () => {
    await using web = await newPage();
    const { page } = web;
    const [leaves] = await send("leaving", "leaves", "stays");
    await web.open("/traces?application=leaving&status=UNSET&live=on");
    await expect.poll(() => names(page)).toEqual(["stays", "leaves"]);
    const fail = (span: typeof leaves) =>
      sendOtlp(platform().url, [{ ...span!, status: { code: 2 } }]);
    await fail(leaves);
    await expect.poll(() => names(page)).toEqual(["stays"]);
    await link(page, "stays").hover();
    const [waits] = await send("leaving", "waits", "comes");
    await page.getByRole("button", { name: "Paused, 2 new" }).waitFor();
    await fail(waits);
    await page.getByRole("button", { name: "Paused, 1 new" }).waitFor();
    await page.mouse.move(5, 5);
    await expect.poll(() => names(page)).toEqual(["comes", "stays"]);
    web.expectNoFaults();
  });

  it("pauses under the pointer, counts new traces, and resumes", async () => {
    await using web = await newPage();
    const { page } = web;
    await send("pause", "first");
    await web.open("/traces?application=pause&live=on");
    await link(page, "first").hover();
    await page.getByRole("button", { name: "Paused" }).waitFor();
    await send("pause", "second", "third");
    const paused = page.getByRole("button", { name: "Paused, 2 new" });
    await paused.waitFor();
    expect(await names(page)).toEqual(["first"]);
    await web.expectAccessible();
    await paused.click();
    await expect.poll(() => names(page)).toEqual(["third", "second", "first"]);
    // The pointer is still over the list, but the reader has said to go on.
    await send("pause", "fourth");
    await link(page, "fourth").waitFor();
    await link(page, "fourth").hover();
    await send("pause", "fifth");
    await page.getByRole("button", { name: "Paused, 1 new" }).waitFor();
    await page.mouse.move(5, 5);
    await link(page, "fifth").waitFor();
    web.expectNoFaults();
  });

  it("is bounded, and misses no new trace", async () => {
    await using web = await newPage();
    const { page } = web;
    await send("flood", "first");
    await web.open("/traces?application=flood&live=on");
    await link(page, "first").waitFor();
    for (let batch = 1; batch <= 8; batch++) {
      await send("flood", ...Array.from({ length: 200 }, (_, n) => `${batch}-${n}`));
      await link(page, `${batch}-199`).waitFor();
    }
    // All 1,601 would be too many to keep; they are read on by scrolling.
    await expect
      .poll(() => page.getByRole("heading", { level: 1 }).textContent())
      .toMatch(/^Traces\d{1,3}\+$/);
    const newest = (await names(page)).slice(0, 3);
    expect(newest).toEqual(["8-199", "8-198", "8-197"]);
    web.expectNoFaults();
  });

  it("pauses while a row is selected", async () => {
    await using web = await newPage();
    const { page } = web;
    await send("selecting", "first");
    await web.open("/traces?application=selecting&live=on");
    await link(page, "first").waitFor();
    await page.keyboard.press("j");
    await send("selecting", "second");
    await page.getByRole("button", { name: "Paused, 1 new" }).waitFor();
    await page.keyboard.press("Escape");
    await link(page, "second").waitFor();
    web.expectNoFaults();
  });

  it.each([
    ["its button", (page: Page) => live(page).click()],
    ["its key", (page: Page) => page.keyboard.press("l")],
  ])("is turned on by %s while a row is selected, and clears the selection", async (by, turnOn) => {
    const application = `turning on by ${by}`;
    await using web = await newPage();
    const { page } = web;
    await send(application, "first");
    await web.open(`/traces?application=${application}`);
    await link(page, "first").waitFor();
    await page.keyboard.press("j");
    await page.getByRole("row", { selected: true }).waitFor();
    await turnOn(page);
    await page.waitForURL(/live=on/);
    await expect.poll(() => page.getByRole("row", { selected: true }).count()).toBe(0);
    await send(application, "second");
    await expect.poll(() => names(page)).toEqual(["second", "first"]);
    expect(await page.getByRole("button", { name: /Paused/ }).count()).toBe(0);
    web.expectNoFaults();
  });

  it("scrolls to the top when turned on far down in a list", async () => {
    await using web = await newPage();
    const { page } = web;
    await send("scrolled", ...Array.from({ length: 60 }, (_, n) => `row ${n}`));
    await web.open("/traces?application=scrolled");
    await link(page, "row 59").hover();
    await page.mouse.wheel(0, 600);
    const top = () => page.getByRole("grid").evaluate((grid) => grid.parentElement?.scrollTop ?? 0);
    await expect.poll(top).toBeGreaterThan(0);
    await live(page).click();
    await send("scrolled", "newest");
    await link(page, "newest").waitFor();
    web.expectNoFaults();
  });

  it("counts new traces while it is off, and shows them on demand", async () => {
    await using web = await newPage();
    const { page } = web;
    await send("quiet", "first");
    await web.open("/traces?application=quiet");
    await link(page, "first").waitFor();
    await send("quiet", "second");
    const pill = page.getByRole("button", { name: "1 new trace", exact: true });
    await pill.waitFor();
    expect(await names(page)).toEqual(["first"]);
    await pill.click();
    await expect.poll(() => names(page)).toEqual(["second", "first"]);
    await page.keyboard.press("l");
    await page.waitForURL(/live=on/);
    await send("quiet", "third");
    await link(page, "third").waitFor();
    web.expectNoFaults();
  });

  it("finds new traces by words, and new spans below the root", async () => {
    await using web = await open("/traces?q=chalcedony&live=on");
    const { page } = web;
    await page.getByRole("heading", { name: "No traces match" }).waitFor();
    await sendTraces(platform().url, [
      {
        name: "stone",
        application: "words",
        attributes: { "ag.content.outputs": '"A banded chalcedony."' },
      },
      { name: "water", application: "words" },
    ]);
    await link(page, "stone").waitFor();
    expect(await names(page)).toEqual(["stone"]);
    await web.open("/traces?view=spans&application=words&live=on");
    await link(page, "stone").waitFor();
    await send("words", "sand");
    await link(page, "sand").waitFor();
    web.expectNoFaults();
  });

  it("reports a disconnect, reconnects, and shows what it missed", async () => {
    await using web = await newPage();
    const { page } = web;
    let isBroken = false;
    await page.route(/\/observability\/live\//, (route) =>
      isBroken ? route.abort() : route.fulfill({ contentType: "text/event-stream", body: ":\n\n" }),
    );
    await send("broken", "first");
    await web.open("/traces?application=broken&live=on");
    await link(page, "first").waitFor();
    isBroken = true;
    await page.getByText("Live tail disconnected. Reconnecting…").waitFor();
    await send("broken", "missed");
    await page.unroute(/\/observability\/live\//);
    await link(page, "missed").waitFor();
    await expect.poll(() => page.getByText("Live tail disconnected").count()).toBe(0);
    await send("broken", "heard");
    await link(page, "heard").waitFor();
    web.expectNoFaults();
  });
});

describe("the keyboard", () => {
  it("selects, opens, and returns to the same row", async () => {
    await using web = await newPage();
    const { page } = web;
    const spans = await send("keys", ...Array.from({ length: 30 }, (_, n) => `trace ${30 - n}`));
    const selected = async () =>
      page.locator("[aria-selected=true]").getByRole("link").allInnerTexts();
    await web.open("/traces?application=keys");
    await link(page, "trace 1").waitFor();
    await page.keyboard.press("j");
    await expect.poll(selected).toEqual(["trace 1"]);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("j");
    await page.keyboard.press("k");
    await expect.poll(selected).toEqual(["trace 2"]);
    // What is selected has the focus, which one can see.
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.textContent))
      .toBe("trace 2");
    await page.keyboard.press("End");
    await expect.poll(selected).toEqual(["trace 30"]);
    await page.keyboard.press("Home");
    await expect.poll(selected).toEqual(["trace 1"]);
    await page.keyboard.press("Escape");
    await expect.poll(selected).toEqual([]);
    await page.keyboard.press("End");
    await page.keyboard.press("k");
    await expect.poll(selected).toEqual(["trace 29"]);
    const place = await link(page, "trace 29").boundingBox();
    await page.keyboard.press("Enter");
    const opened = spans.find(({ name }) => name === "trace 29");
    await page.waitForURL(`**/traces/${opened?.traceId}*`);
    await page.getByRole("heading", { level: 1, name: "trace 29" }).waitFor();
    await page.goBack();
    await expect.poll(selected).toEqual(["trace 29"]);
    await expect.poll(() => link(page, "trace 29").boundingBox()).toEqual(place);
    await page.keyboard.press("k");
    await expect.poll(selected).toEqual(["trace 28"]);
    // The trace knows which list it was opened from, even after another span was selected.
    await page.keyboard.press("Enter");
    await page
      .getByRole("treegrid")
      .getByRole("row", { name: /trace 28/ })
      .click();
    await page.waitForURL("**/traces/*?span=*");
    await page.getByRole("main").getByRole("link", { name: "Traces", exact: true }).click();
    await page.waitForURL("**/traces?application=keys");
    await expect.poll(selected).toEqual(["trace 28"]);
    web.expectNoFaults();
  });

  it("opens the search, a filter and the help, and does not interfere with typing", async () => {
    await using web = await newPage();
    const { page } = web;
    await send("help", "one", "two");
    await web.open("/traces?application=help");
    await link(page, "one").waitFor();
    await page.keyboard.press("?");
    const help = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await help.getByText("Toggle live tail").waitFor();
    await page.keyboard.press("Escape");
    await help.waitFor({ state: "detached" });
    await page.keyboard.press("/");
    await page.keyboard.type("jkfl?");
    const box = page.getByRole("textbox", { name: "Search names and content" });
    expect(await box.inputValue()).toBe("jkfl?");
    await page.getByRole("heading", { name: "No traces match" }).waitFor();
    await page.keyboard.press("Escape");
    await link(page, "one").waitFor();
    expect(new URL(page.url()).search).toBe("?application=help");

    // Users of dictation or a screen reader can turn single-key shortcuts off.
    await page.getByRole("button", { name: "Keyboard shortcuts" }).click();
    await help.getByRole("checkbox", { name: "Enable single-key shortcuts" }).uncheck();
    await web.expectAccessible();
    await page.keyboard.press("Escape");
    await help.waitFor({ state: "detached" });
    await page.reload();
    await link(page, "one").waitFor();
    for (const key of ["l", "f", "/", "j"]) await page.keyboard.press(key);
    await page.keyboard.press("ArrowDown");
    await page.locator("[aria-selected=true]").waitFor();
    expect(new URL(page.url()).search).toBe("?application=help");
    expect(await page.locator("[aria-selected=true]").textContent()).toContain("two");
    expect(await page.getByRole("dialog").count()).toBe(0);
    web.expectNoFaults();
  });
});

it("a range that ends now drops traces that become too old", async () => {
  await using web = await newPage();
  const { page } = web;
  await send("rolling", "one");
  await page.clock.install();
  await web.open("/traces?application=rolling&range=15m");
  await link(page, "one").waitFor();
  await page.clock.fastForward("20:00");
  await page.getByRole("heading", { name: "No traces match" }).waitFor();
  web.expectNoFaults();
});

/** More than are read at first, and than are read the next time. */
const LONG = 300;
const LAST = `trace ${LONG - 1}`;

describe("a long list", () => {
  it("loads more while scrolling, every trace once and in order", async () => {
    await sendTraces(
      platform().url,
      Array.from({ length: LONG }, (_, n) => ({
        name: `trace ${n}`,
        application: "long",
        start: Date.now() - 1000 * n,
      })),
    );
    await using web = await open("/traces?application=long");
    const { page } = web;
    await link(page, "trace 0").waitFor();
    await expect
      .poll(async () => {
        await page.keyboard.press("End");
        return page.getByText(`End of list · ${LONG} traces`).isVisible();
      })
      .toBe(true);
    await page.keyboard.press("End");
    await link(page, LAST).waitFor();
    // Only what is in sight is in the document.
    expect((await names(page)).length).toBeLessThan(60);
    // From the end back to the beginning, a screen at a time: nothing is missing, nothing is twice.
    const all: string[] = [];
    await page.keyboard.press("Home");
    await link(page, "trace 0").waitFor();
    const grid = page.getByRole("grid");
    for (let top = 0; !all.includes(LAST); top += 400) {
      await grid.evaluate((element, to) => element.parentElement?.scrollTo(0, to), top);
      await link(page, `trace ${all.length}`).waitFor({ state: "attached" });
      for (const name of await rowsByIndex(page)) if (!all.includes(name)) all.push(name);
    }
    expect(all).toEqual(Array.from({ length: LONG }, (_, n) => `trace ${n}`));
    // Another list begins at its top.
    const scrolled = () => grid.evaluate((element) => element.parentElement?.scrollTop);
    await page.getByRole("button", { name: "All time" }).click();
    await page.getByRole("button", { name: "Last 24 hours" }).click();
    await link(page, "trace 0").waitFor();
    await expect.poll(scrolled).toBe(0);
    web.expectNoFaults();
  });
});

/** The names of the rows in the document, in the order of the list. */
async function rowsByIndex(page: Page): Promise<readonly string[]> {
  return page.getByRole("grid").evaluate((grid) =>
    [...grid.querySelectorAll("tr[aria-selected]")]
      .map((row) => ({
        index: Number(row.getAttribute("aria-rowindex")),
        name: row.querySelector("a")?.textContent ?? "",
      }))
      .sort((a, b) => a.index - b.index)
      .map(({ name }) => name),
  );
}
