import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { startServer } from "../../running-server.ts";
import { sendOtlp } from "../../send-otlp.ts";
import { withPlatform } from "../with-platform.ts";
import { cellsOf, KNOWN_TRACES, names } from "./known-traces.ts";
import { sendTraces } from "./sent-trace.ts";

const { open, platform } = withPlatform(startServer);
beforeAll(async () => {
  await sendTraces(platform().url, KNOWN_TRACES);
});

describe("filters", () => {
  it("show why the platform rejected them", async () => {
    await using web = await open("/traces?min_cost=lots&from=soon");
    const { page } = web;
    const chip = page.getByRole("button", { name: /^Edit filter: Cost ≥ lots\. Must be a number/ });
    await chip.waitFor();
    await page.getByRole("button", { name: /^Time range: Since soon\. Must be an ISO/ }).waitFor();
    await web.expectAccessible();
    await chip.click();
    await page.getByRole("combobox", { name: "Cost" }).fill("0.0001");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: /Time range/ }).click();
    await page.getByRole("button", { name: "All time" }).click();
    await page.getByRole("link", { name: "known", exact: true }).waitFor();
    web.expectNoFaults();
  });
});

describe("the time range", () => {
  it("has a histogram over all time, beyond one page and a month", async () => {
    const application = "all time";
    const old = Date.now() - 400 * 86_400_000;
    await sendTraces(platform().url, [
      { name: "the first", application, start: old, status: { code: 2 } },
      ...Array.from({ length: 60 }, (_, n) => ({ name: `recent ${n}`, application })),
    ]);
    await using web = await open(`/traces?application=${application}`);
    const { page } = web;
    const histogram = page.getByRole("img", { name: /^61 traces, 1 failed, / });
    await histogram.waitFor();
    const year = String(new Date(old).getFullYear());
    expect(await histogram.getAttribute("aria-label")).toContain(year);
    // One narrows it to the oldest, which no page has shown yet.
    await histogram.locator('[title*="1 trace, 1 failed"]').click();
    await page.getByRole("link", { name: "the first" }).waitFor();
    await expect.poll(() => names(page)).toEqual(["the first"]);
    web.expectNoFaults();
  });
});

it("shows failed spans below a root that is OK, and cancelled calls, wide and narrow", async () => {
  const application = "marks";
  const [top] = await sendTraces(platform().url, [
    { name: "fine at the top", application, status: { code: 1 } },
    { name: "fine", application, status: { code: 1 }, start: Date.now() - 1000 },
    { name: "left", application, attributes: { "ag.cancelled": true } },
  ]);
  const below = (spanId: string) => ({ ...top!, spanId, parentSpanId: top!.spanId });
  await sendOtlp(platform().url, [
    { ...below("aaaaaaaaaaaaaaa1"), name: "a", status: { code: 2 } },
    { ...below("aaaaaaaaaaaaaaa2"), name: "b", status: { code: 2 } },
    { ...below("aaaaaaaaaaaaaaa3"), name: "c", status: { code: 1 } },
  ]);
  await using web = await open(`/traces?application=${application}`);
  const { page } = web;
  const mark = page.getByRole("img", { name: /failed span/ });
  for (const width of [390, 1280]) {
    await web.look({ width });
    await page
      .getByRole("row", { name: /fine at the top/ })
      .getByRole("img", { name: "2 failed spans below" })
      .waitFor();
    expect(await mark.count()).toBe(1);
    await page.getByRole("row", { name: /left.*Cancelled/ }).waitFor();
    await web.expectAccessible();
  }
  // The mark is a filter, too.
  await mark.click({ modifiers: ["Alt"] });
  await page.getByRole("button", { name: "Remove filter: Any error is true" }).waitFor();
  await expect.poll(() => page.getByRole("row", { name: /fine/ }).count()).toBe(1);
  await page.getByRole("button", { name: "Remove filter: Any error is true" }).click();
  await page.getByRole("link", { name: "left" }).click();
  const spans = page.getByRole("treegrid", { name: "Spans" });
  await spans.getByRole("row").getByRole("img", { name: "Cancelled" }).waitFor();
  // Of the trace, and of its span.
  await expect.poll(() => page.getByText("Cancelled", { exact: true }).count()).toBe(2);
  await web.expectAccessible();
  web.expectNoFaults();
});

/** As the browser itself knows them: its driver does not hear of every tab that a click has opened. */
async function addressesOfTabs(page: Page): Promise<readonly string[] | undefined> {
  const browser = await page.context().browser()?.newBrowserCDPSession();
  const targets = await browser?.send("Target.getTargets");
  await browser?.detach();
  return targets?.targetInfos.filter(({ type }) => type === "page").map(({ url }) => url);
}

describe("a trace of the list", () => {
  it("is copied by id, opened in a new tab, and deleted after confirmation", async () => {
    const [span] = await sendTraces(platform().url, [{ name: "doomed", application: "deleting" }]);
    // A context of its own, which closes the second tab as well.
    await using web = await open("/traces?application=deleting", { own: {} });
    const { page } = web;
    const more = page.getByRole("button", { name: "More for doomed" });
    await more.click();
    await page.getByRole("menuitem", { name: "Copy trace id" }).click();
    await page.getByText("Trace id copied.").waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(span?.traceId);

    await page.getByRole("link", { name: "doomed" }).click({ button: "middle" });
    await expect
      .poll(() => addressesOfTabs(page))
      .toContain(`${platform().url}/traces/${span?.traceId}`);

    await more.click();
    await page.getByRole("menuitem", { name: "Delete trace…" }).click();
    const dialog = page.getByRole("dialog", { name: "Delete trace?" });
    await dialog.getByText(span?.traceId ?? "").waitFor();
    await web.expectAccessible();
    await dialog.getByRole("button", { name: "Delete" }).click();
    await page.getByText("Trace deleted.").waitFor();
    await page.getByRole("heading", { name: "No traces match" }).waitFor();
    const read = await fetch(`${platform().url}/observability/traces/${span?.traceId}/`);
    expect(read.status).toBe(404);
    web.expectNoFaults();
  });
});

it("is accessible, wide and light, and on a phone in the dark", async () => {
  await using web = await open("/traces?application=columns&min_latency=1");
  const { page } = web;
  for (const [width, theme] of [
    [1280, "light"],
    [390, "dark"],
  ] as const) {
    await web.look({ width, theme });
    await page.getByRole("link", { name: "known", exact: true }).waitFor();
    if (width === 390) {
      // Two lines: what and when, then what went in and how it went.
      const lines = async () => (await cellsOf(page, "known"))[0]?.split("\n");
      await expect
        .poll(async () => (await lines())?.filter((line) => line !== ""))
        .toEqual([
          "known",
          "OK",
          "5 d ago",
          expect.stringContaining("What is agate?"),
          "1.93 s",
          "$0.00036",
        ]);
    }
    await web.expectNoOverflow();
    await page.keyboard.press("j");
    await web.expectAccessible();
    await page.getByRole("button", { name: "Add filter" }).click();
    await page.getByRole("option", { name: "Kind" }).click();
    await web.expectAccessible();
    await page.keyboard.press("Escape");
    await page.getByRole("combobox", { name: "Kind" }).waitFor({ state: "detached" });
  }
  web.expectNoFaults();
});
