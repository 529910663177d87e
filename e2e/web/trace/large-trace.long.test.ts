import type { Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { startServer } from "../../running-server.ts";
import { sendOtlp } from "../../send-otlp.ts";
import { withPlatform } from "../with-platform.ts";
import { numberedTrace, type SampleTrace, spanId } from "./sample-traces.ts";

const BATCH = 2500;
/** A window of 800 pixels has room for about 25, and some wait above and below. */
const MOST_ROWS = 80;

const SHAPES = [
  {
    shape: "a broad tree of 10,000",
    trace: numberedTrace(10_000, (n) => Math.floor((n - 1) / 5), 480),
  },
  { shape: "a chain of 5,000", trace: numberedTrace(5_000, (n) => n - 1) },
  { shape: "20,000 children of one", trace: numberedTrace(20_000, () => 0) },
];

const { open, platform } = withPlatform(startServer);
beforeAll(async () => {
  for (const { trace } of SHAPES) await send(trace);
});

async function send({ spans }: SampleTrace): Promise<void> {
  for (let from = 0; from < spans.length; from += BATCH) {
    await sendOtlp(platform().url, spans.slice(from, from + BATCH));
  }
}

const isInWindow = (top: number) => top >= 0 && top < 800;
const rows = (page: Page) => page.getByRole("treegrid", { name: "Spans" }).getByRole("row");

it.each(SHAPES)(
  "$shape spans: a window of rows, of which each can be reached",
  async ({ trace }) => {
    const { traceId, spans } = trace;
    const last = spanId(traceId, spans.length - 1);
    await using web = await open(`/traces/${traceId}`);
    const { page } = web;
    await rows(page).nth(20).waitFor();
    const grid = page.getByRole("treegrid", { name: "Spans" });
    expect(await grid.getAttribute("aria-rowcount")).toBe(String(spans.length + 1));
    expect(await rows(page).count()).toBeLessThan(MOST_ROWS);

    await grid.focus();
    await page.keyboard.press("End");
    const place = async () => {
      const active = await grid.getAttribute("aria-activedescendant");
      return page.locator(`[id="${active}"]`).getAttribute("aria-rowindex");
    };
    await expect.poll(place).toBe(String(spans.length + 1));
    expect(await rows(page).count()).toBeLessThan(MOST_ROWS);
    await page.keyboard.press("Home");

    const middle = spans.length / 2;
    await page.getByRole("searchbox", { name: "Search in trace" }).fill(`step ${middle}`);
    await page.getByText(/^1 of \d+$/).waitFor();
    await page.getByRole("row", { name: new RegExp(`step ${middle} `) }).waitFor();

    // What is jumped to is in sight, wherever one was.
    await page.getByRole("button", { name: "Critical path" }).click();
    const chosen = grid.getByRole("row", { selected: true });
    await expect
      .poll(() => chosen.evaluate((row) => Math.round(row.getBoundingClientRect().top)))
      .toSatisfy(isInWindow);
    await page.getByRole("button", { name: "Collapse and expand" }).click();
    await page.getByRole("menuitem", { name: "Collapse all" }).click();
    await expect.poll(() => grid.getAttribute("aria-rowcount")).toBe("2");

    // A link to any span opens what hides it, and scrolls to it.
    await web.open(`/traces/${traceId}?span=${last}`);
    await chosen.waitFor();
    expect(await chosen.getAttribute("data-span")).toBe(last);
    await expect
      .poll(() => chosen.evaluate((row) => row.getBoundingClientRect().bottom))
      .toBeLessThanOrEqual(800);
    web.expectNoFaults();
  },
);
