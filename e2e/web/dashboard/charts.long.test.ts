import type { Locator, Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { startServer } from "../../running-server.ts";
import { sendOtlp } from "../../send-otlp.ts";
import type { PageOptions } from "../page-lender.ts";
import type { WebPage } from "../web-page.ts";
import { withPlatform } from "../with-platform.ts";
import { DAY, knownCalls } from "./known-calls.ts";

const THE_DAY = `/?from=${DAY.from}&to=${DAY.to}`;
const CHARTS = ["Calls", "Errors", "Latency", "Tokens", "Cost"] as const;
/** Ten o'clock to a quarter past: four calls. */
const TEN = { from: "2025-03-10T10:00:00.000Z", to: "2025-03-10T10:15:00.000Z" };

const { newPage, open, platform } = withPlatform(startServer);
beforeAll(() => sendOtlp(platform().url, knownCalls()));

function chart(page: Page, title: (typeof CHARTS)[number]): Locator {
  return page.getByRole("slider", { name: `${title} over time` });
}

const drawn = (page: Page) =>
  page
    .locator("canvas")
    .nth(CHARTS.length - 1)
    .waitFor();

/** Opens the dashboard and waits until its charts are drawn. */
async function openCharts(path = THE_DAY, options?: PageOptions): Promise<WebPage> {
  const web = await open(path, options);
  await drawn(web.page);
  return web;
}

/** Goes back to the dashboard from wherever a chart has led to. */
async function openAgain(web: WebPage, path = THE_DAY): Promise<void> {
  await web.open(path);
  await drawn(web.page);
}

/** The point of the screen at a time of the day, and so far up the chart. */
async function place(of: Locator, hour: number, height: number) {
  await of.scrollIntoViewIfNeeded();
  const box = await of.boundingBox();
  if (box === null) throw new Error("The chart is not shown.");
  return { x: box.x + (box.width * hour) / 24, y: box.y + box.height * (1 - height) };
}

async function clickAt(page: Page, of: Locator, hour: number, height: number): Promise<void> {
  const { x, y } = await place(of, hour, height);
  await page.mouse.click(x, y);
}

const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });

/** A quarter of an hour as the page says it, which knows the same time zone. */
function quarter(start: string): string {
  const from = Date.parse(start);
  return `${clock.format(from)} – ${clock.format(from + 15 * 60_000)}`;
}

const searchOf = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams);

/** The page has gone to the list of traces, and these are all that are in it. */
async function expectListed(page: Page, ...names: readonly string[]): Promise<void> {
  await page.waitForURL("**/traces?**");
  const links = page.getByRole("grid", { name: "Traces" }).getByRole("link");
  await expect.poll(async () => (await links.allTextContents()).sort()).toEqual(names);
}

test("dragging over a chart zooms all of them to whole buckets, and back", async () => {
  await using web = await openCharts();
  const { page } = web;
  const start = await place(chart(page, "Tokens"), 9.1, 0.5);
  const end = await place(chart(page, "Tokens"), 14.9, 0.5);
  await page.mouse.move(start.x, start.y);
  await page.mouse.down();
  await page.mouse.move(end.x, end.y, { steps: 5 });
  await page.mouse.up();
  const zoomed = { from: "2025-03-10T09:00:00.000Z", to: "2025-03-10T15:00:00.000Z" };
  await expect.poll(() => searchOf(page)).toEqual(zoomed);
  // Six hours in slices of five minutes.
  for (const title of CHARTS) {
    await expect.poll(() => chart(page, title).getAttribute("aria-valuemax")).toBe("71");
  }
  await page.getByRole("button", { name: "Zoom out" }).click();
  await expect
    .poll(() => searchOf(page))
    .toEqual({ from: "2025-03-10T06:00:00.000Z", to: "2025-03-10T18:00:00.000Z" });
  await page.goBack();
  await expect.poll(() => searchOf(page)).toEqual(zoomed);
  await page.goBack();
  await expect.poll(() => searchOf(page)).toEqual(DAY);
  web.expectNoFaults();
});

test("a bar leads to the traces of its group, the space above to those of the bucket", async () => {
  await using web = await openCharts();
  await clickAt(web.page, chart(web.page, "Calls"), 10.1, 0.1);
  await expectListed(web.page, "call 01", "call 02", "call 03");
  expect(searchOf(web.page)).toEqual({ application: "shop", ...TEN });

  await openAgain(web);
  await clickAt(web.page, chart(web.page, "Calls"), 14.4, 0.9);
  await expectListed(web.page, "call 05", "call 06");
  expect(searchOf(web.page)).toEqual({
    from: "2025-03-10T14:15:00.000Z",
    to: "2025-03-10T14:30:00.000Z",
  });
  web.expectNoFaults();
});

test("filters are passed to the list of traces", async () => {
  await using web = await openCharts(`${THE_DAY}&environment=staging&by=route`);
  await clickAt(web.page, chart(web.page, "Calls"), 20.1, 0.1);
  await expectListed(web.page, "call 07");
  expect(searchOf(web.page)).toMatchObject({ environment: "staging" });
});

test("a bar of errors leads to the failed traces", async () => {
  await using web = await openCharts(`${THE_DAY}&by=none`);
  await clickAt(web.page, chart(web.page, "Errors"), 10.1, 0.1);
  await expectListed(web.page, "call 03");
  await openAgain(web, `${THE_DAY}&by=none`);
  // Errors are at the bottom of the calls.
  await clickAt(web.page, chart(web.page, "Calls"), 10.1, 0.05);
  await expectListed(web.page, "call 03");
});

test("a point of latency leads to the traces that took at least as long", async () => {
  await using web = await openCharts(`${THE_DAY}&application=shop`);
  // The p50 of the three calls is the lowest line.
  await clickAt(web.page, chart(web.page, "Latency"), 10.1, 0.01);
  await expectListed(web.page, "call 02", "call 03");
  expect(searchOf(web.page)).toEqual({ application: "shop", min_latency: "200", ...TEN });
});

test("an empty bucket leads nowhere", async () => {
  await using web = await openCharts();
  await clickAt(web.page, chart(web.page, "Calls"), 3, 0.5);
  // The next click is still one on the chart.
  await clickAt(web.page, chart(web.page, "Calls"), 14.4, 0.1);
  await expectListed(web.page, "call 05", "call 06");
});

test("with the keyboard: from bucket to bucket, read out, and to the traces", async () => {
  await using web = await openCharts();
  const { page } = web;
  const calls = chart(page, "Calls");
  await calls.focus();
  await page.keyboard.press("Home");
  for (let hour = 0; hour < 4; hour++) await page.keyboard.press("PageUp");
  await expect
    .poll(() => calls.getAttribute("aria-valuetext"))
    .toContain(`${quarter(TEN.from)}: shop 3 calls, desk 1 call, total 4 calls`);
  await page.keyboard.press("ArrowRight");
  await expect
    .poll(() => calls.getAttribute("aria-valuetext"))
    .toContain(`${quarter(TEN.to)}: shop 0 calls, desk 0 calls`);
  await page.keyboard.press("ArrowLeft");
  // The other charts are at the same time.
  await expect
    .poll(() => chart(page, "Tokens").getAttribute("aria-valuetext"))
    .toContain("shop 330 tokens, desk unknown");
  await web.expectAccessible();
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowUp");
  await expect
    .poll(() => calls.getAttribute("aria-valuetext"))
    .toContain(`${quarter(TEN.from)}: desk 1 call`);
  await page.keyboard.press("Enter");
  await expectListed(page, "call 04");
  web.expectNoFaults();
});

test("with the keyboard: zoom in and out", async () => {
  await using web = await openCharts();
  const cost = chart(web.page, "Cost");
  await cost.focus();
  await web.page.keyboard.press("End");
  await web.page.keyboard.press("+");
  await expect
    .poll(() => searchOf(web.page))
    .toEqual({ from: "2025-03-10T12:00:00.000Z", to: DAY.to });
  await expect.poll(() => cost.getAttribute("aria-valuemax")).toBe("47");
  await web.page.keyboard.press("-");
  await expect
    .poll(() => searchOf(web.page))
    .toEqual({ from: "2025-03-10T06:00:00.000Z", to: "2025-03-11T06:00:00.000Z" });
});

test("charts are redrawn when the theme changes", async () => {
  await using web = await openCharts();
  const picture = () =>
    web.page
      .locator("canvas")
      .first()
      .evaluate((c) => (c as HTMLCanvasElement).toDataURL());
  const light = await picture();
  await web.page.getByRole("button", { name: /theme/ }).click();
  await web.page.getByRole("menuitem", { name: "Dark" }).click();
  await expect.poll(picture).not.toBe(light);
  await web.page.getByRole("button", { name: /theme/ }).click();
  await web.page.getByRole("menuitem", { name: "System" }).click();
  await expect.poll(picture).toBe(light);
  await web.page.emulateMedia({ colorScheme: "dark" });
  await expect.poll(picture).not.toBe(light);
});

test("a narrow page: a tap shows the values, and a button leads to the traces", async () => {
  const phone = { width: 390, height: 844, own: { hasTouch: true } };
  await using web = await openCharts(`${THE_DAY}&by=none`, phone);
  const { page } = web;
  const { x, y } = await place(chart(page, "Tokens"), 14.4, 0.1);
  await page.touchscreen.tap(x, y);
  await page.getByText(quarter("2025-03-10T14:15:00Z")).waitFor();
  expect(searchOf(page)).toMatchObject(DAY);
  await page.getByRole("button", { name: "Open traces" }).tap();
  await expectListed(page, "call 05", "call 06");
});

test("the list of traces does not load the chart library", async () => {
  await using web = await newPage({ own: {} });
  const loaded: string[] = [];
  web.page.on("request", (request) => loaded.push(request.url()));
  await web.open("/traces");
  await web.page.getByRole("grid", { name: "Traces" }).getByRole("link").first().waitFor();
  expect(loaded.filter((url) => url.includes("plot-canvas"))).toEqual([]);
  await openAgain(web);
  expect(loaded.filter((url) => url.includes("plot-canvas"))).not.toEqual([]);
});
