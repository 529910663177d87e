import { FIRST_TRACES } from "@agate/protocol";
import { expect, it } from "vitest";
import { startServer } from "../../running-server.ts";
import { withPlatform } from "../with-platform.ts";
import { sendTraces } from "./sent-trace.ts";

const { newPage, platform } = withPlatform(startServer);
const EARLIER = FIRST_TRACES + 6;

it("shows the newest traces before its scripts are there, asks for the list once, and misses none", async () => {
  const { url } = platform();
  // More than the document has.
  const start = Date.now() - 60_000;
  const earlier = Array.from({ length: EARLIER }, (_, n) => ({
    name: `earlier ${n + 1}`,
    application: "first-rows",
    start: start + n * 1000,
  }));
  await sendTraces(url, earlier);
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
  const first = page.locator("[data-first-row]").first();
  await first.waitFor();
  expect(await first.textContent()).toMatch(new RegExp(`earlier ${EARLIER}[\\s\\S]*first-rows`));
  const link = first.locator("a");
  expect(await link.getAttribute("href")).toMatch(/^\/traces\/[0-9a-f]{32}$/);
  const drawn = await link.boundingBox();
  expect(asked).toEqual([]);

  await sendTraces(url, [{ name: "meanwhile", application: "first-rows" }]);
  release();
  const rows = page.getByRole("grid").getByRole("row").getByRole("link");
  await page.getByRole("button", { name: "1 new trace" }).waitFor();
  expect((await rows.allInnerTexts())[0]).toBe(`earlier ${EARLIER}`);
  expect(await first.count()).toBe(0);
  // Nothing moves when the page takes over.
  const shown = await rows.first().boundingBox();
  expect(shown?.x).toBeCloseTo(drawn?.x ?? 0, 0);
  expect(shown?.y).toBeCloseTo(drawn?.y ?? 0, 0);
  expect(asked).toEqual(["/observability/traces/"]);
  await page.getByRole("button", { name: "1 new trace" }).click();
  await expect
    .poll(async () => (await rows.allInnerTexts()).slice(0, 2))
    .toEqual(["meanwhile", `earlier ${EARLIER}`]);

  // The list goes on where the document ends, with each trace once; the heading counts as a row.
  await page.keyboard.press("End");
  await expect
    .poll(() => page.getByRole("grid").getAttribute("aria-rowcount"))
    .toBe(String(EARLIER + 2));
  await page.keyboard.press("End");
  await expect.poll(async () => (await rows.allInnerTexts()).at(-1)).toBe("earlier 1");
  web.expectNoFaults();
});
