import { expect, it } from "vitest";
import { startServer } from "../../running-server.ts";
import { withPlatform } from "../with-platform.ts";
import { sendTraces } from "./sent-trace.ts";

const { newPage, platform } = withPlatform(startServer);

it("shows the newest traces before its scripts are there, asks for the list once, and misses none", async () => {
  const { url } = platform();
  await sendTraces(url, [{ name: "earlier", application: "first-rows" }]);
  // The thread that reads lists starts with the first: the document would not wait for it on a busy machine.
  await (await fetch(`${url}/observability/traces/`)).arrayBuffer();
  await using web = await newPage({ own: {} });
  const { page } = web;
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route("**/assets/*.js", async (route) => {
    await released;
    await route.continue();
  });
  const asked: string[] = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (["/session", "/observability/traces/"].includes(pathname)) asked.push(pathname);
  });
  await page.goto("/traces", { waitUntil: "commit" });
  const first = page.locator("[data-first-row]");
  await first.waitFor();
  expect(await first.textContent()).toMatch(/earlier[\s\S]*first-rows/);
  const link = first.locator("a");
  expect(await link.getAttribute("href")).toMatch(/^\/traces\/[0-9a-f]{32}$/);
  const drawn = await link.boundingBox();
  expect(asked).toEqual([]);

  await sendTraces(url, [{ name: "meanwhile", application: "first-rows" }]);
  release();
  const rows = page.getByRole("grid").getByRole("row").getByRole("link");
  await page.getByRole("button", { name: "1 new trace" }).waitFor();
  expect(await rows.allInnerTexts()).toEqual(["earlier"]);
  expect(await first.count()).toBe(0);
  // Nothing moves when the page takes over.
  const shown = await rows.first().boundingBox();
  expect(shown?.x).toBeCloseTo(drawn?.x ?? 0, 0);
  expect(shown?.y).toBeCloseTo(drawn?.y ?? 0, 0);
  expect(asked).toEqual(["/observability/traces/"]);
  await page.getByRole("button", { name: "1 new trace" }).click();
  await expect.poll(() => rows.allInnerTexts()).toEqual(["meanwhile", "earlier"]);
  web.expectNoFaults();
});
