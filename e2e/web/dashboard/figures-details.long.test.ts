import { beforeAll, expect, test } from "vitest";
import { startServer } from "../../running-server.ts";
import { sendOtlp } from "../../send-otlp.ts";
import { withPlatform } from "../with-platform.ts";
import { calls, figure } from "./figure-tile.ts";
import { DAY, knownCalls } from "./known-calls.ts";

const THE_DAY = `/?from=${DAY.from}&to=${DAY.to}`;

const { newPage, open, platform } = withPlatform(startServer);
beforeAll(() => sendOtlp(platform().url, knownCalls()));

test("an unknown change is a dash, not 0", async () => {
  await using web = await open(
    "/?from=2025-03-09T00:00:00Z&to=2025-03-10T00:00:00Z&application=shop",
  );
  await expect.poll(() => figure(web.page, "Calls")).toEqual(["Calls", "4", "–", "0 errors"]);
});

test("an empty range shows a message and a way out", async () => {
  await using web = await open("/?from=2025-03-01T00:00:00Z&to=2025-03-02T00:00:00Z");
  await web.page.getByRole("heading", { name: "No calls in this period" }).waitFor();
  await web.expectAccessible();
  await web.page.goto(`${THE_DAY}&variant=unheard-of`);
  await web.page.getByRole("button", { name: "Clear filters" }).click();
  await web.page.getByRole("table").waitFor();
  web.expectNoFaults();
});

test("an invalid range shows the platform's message", async () => {
  await using web = await open("/?from=yesterday&to=today");
  await web.page.getByRole("alert").getByText("Must be an ISO 8601 date").first().waitFor();
});

test("the figures can be read in light and dark, wide and narrow", async () => {
  await using web = await open(THE_DAY);
  const { page } = web;
  for (const [theme, width] of [
    ["light", 1280],
    ["dark", 390],
  ] as const) {
    await web.look({ width, theme });
    await page.getByRole("table").waitFor();
    await page.locator("canvas").nth(4).waitFor();
    await web.expectNoOverflow();
    await web.expectAccessible();
  }
  web.expectNoFaults();
});

test("new calls are counted on refresh, and by polling", async () => {
  await using web = await newPage();
  const [call] = knownCalls();
  const sendNow = (digit: string) => {
    const start = Date.now() - 60_000;
    const traceId = digit.repeat(32);
    return sendOtlp(platform().url, [{ ...call!, traceId, start, end: start + 5 }]);
  };
  await sendNow("7");
  await web.page.clock.install();
  await web.open("/?range=1h");
  await expect.poll(() => calls(web.page)).toBe("1");
  await sendNow("8");
  await web.page.getByRole("button", { name: "Refresh" }).click();
  await expect.poll(() => calls(web.page)).toBe("2");
  await sendNow("9");
  await web.page.clock.fastForward(11_000);
  await expect.poll(() => calls(web.page)).toBe("3");
});
