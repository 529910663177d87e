import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type RunningServer, startServer } from "../../running-server.ts";
import { openBrowser } from "../open-browser.ts";
import { sendOtlp } from "../send-otlp.ts";
import { openPage } from "../web-page.ts";
import { knownCalls } from "./known-calls.ts";

let browser: Browser;
let server: RunningServer;

beforeAll(async () => {
  [browser, server] = await Promise.all([openBrowser(), startServer()]);
});

afterAll(async () => {
  await browser?.close();
  await server?.[Symbol.asyncDispose]();
});

test("a newcomer is told how to begin, and sees the first call by themselves", async () => {
  await using web = await openPage(browser, { url: server.url });
  const { page } = web;
  await web.open("/");
  await page.getByRole("heading", { name: "Welcome to Agate" }).waitFor();
  await web.expectAccessible();
  await page.getByRole("button", { name: "Copy settings" }).click();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toContain(`OTEL_EXPORTER_OTLP_ENDPOINT=${server.url}\n`);
  const playground = page.getByRole("link", { name: "Open the playground" });
  expect(await playground.getAttribute("href")).toBe("/playground");

  // An application, but no call of it.
  await fetch(`${server.url}/registry/applications`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ slug: "shop" }),
  });
  await page.getByRole("heading", { name: "No calls yet" }).waitFor();
  const shop = page.getByRole("main").getByRole("link", { name: "shop" });
  expect(await shop.getAttribute("href")).toBe("/apps/shop/playground");
  await web.expectAccessible();

  const [call] = knownCalls();
  const now = Date.now() - 1000;
  await sendOtlp(server.url, [{ ...call!, start: now, end: now + 100 }]);
  await page.getByRole("table", { name: "By application" }).waitFor();
  web.expectNoFaults();
});
