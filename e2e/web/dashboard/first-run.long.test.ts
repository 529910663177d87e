import { expect, test } from "vitest";
import { startServer } from "../../running-server.ts";
import { sendOtlp } from "../../send-otlp.ts";
import { withPlatform } from "../with-platform.ts";
import { knownCalls } from "./known-calls.ts";

const { open, platform, registry } = withPlatform(startServer);

test("an empty platform shows how to start, then the first call", async () => {
  await using web = await open("/");
  const { page } = web;
  await page.getByRole("heading", { name: "Welcome to Agate" }).waitFor();
  await web.expectAccessible();
  await page.getByRole("button", { name: "Copy settings" }).click();
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()))
    .toContain(`OTEL_EXPORTER_OTLP_ENDPOINT=${platform().url}\n`);
  const playground = page.getByRole("link", { name: "Open playground" });
  expect(await playground.getAttribute("href")).toBe("/playground");

  // An application, but no call of it.
  await registry("POST", "/applications", { slug: "shop" });
  await page.getByRole("heading", { name: "No calls yet" }).waitFor();
  const shop = page.getByRole("main").getByRole("link", { name: "shop" });
  expect(await shop.getAttribute("href")).toBe("/apps/shop/playground");
  await web.expectAccessible();

  const [call] = knownCalls();
  const now = Date.now() - 1000;
  await sendOtlp(platform().url, [{ ...call!, start: now, end: now + 100 }]);
  await page.getByRole("table", { name: "By application" }).waitFor();
  web.expectNoFaults();
});
