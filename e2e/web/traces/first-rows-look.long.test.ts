import { beforeAll, expect, it } from "vitest";
import { startServer } from "../../running-server.ts";
import { withPlatform } from "../with-platform.ts";
import { sendTraces } from "./sent-trace.ts";

const { newPage, platform } = withPlatform(startServer);
const DAY = 86_400_000;

beforeAll(async () => {
  const { url } = platform();
  await sendTraces(url, [
    { name: "fine", application: "look", attributes: { "ag.route": "/a" } },
    { name: "failed", application: "look", status: { code: 2, message: "It failed." } },
    { name: `long ${"name ".repeat(60)}`, application: "look", latency: 1234 },
    { name: "שלום abc", application: "עברית" },
    { name: "old", application: "look", start: Date.now() - 20 * DAY },
    { name: "older", application: "look", start: Date.now() - 400 * DAY },
  ]);
  // The thread that reads lists starts with the first: the document would not wait for it on a busy machine.
  await (await fetch(`${url}/observability/traces/`)).arrayBuffer();
});

/** Opens the list in a browser of this width, which keeps these choices. */
async function openList(width: number, kept: Record<string, string> = {}, height = 800) {
  const web = await newPage({ width, height, own: {} });
  await web.page.addInitScript((choices) => {
    for (const [key, value] of Object.entries(choices)) localStorage.setItem(key, value);
  }, kept);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await web.page.route("**/assets/*.{js,css}", async (route) => {
    await released;
    await route.continue();
  });
  await web.page.goto("/traces", { waitUntil: "commit" });
  // All rows have been read when what follows them is there.
  await web.page.locator("#first-answers").waitFor({ state: "attached" });
  return { web, page: web.page, release };
}

it("writes the first rows as the page's own style sheet has them", async () => {
  for (const width of [1280, 500]) {
    const { web, page, release } = await openList(width);
    await using _ = web;
    // Not the page's script, which would put the page in their place.
    await page.route("**/assets/*.js", (route) => route.abort());
    const before = await page.evaluate(looks);
    release();
    await page.waitForFunction(() =>
      [...document.styleSheets].some(({ href }) => href?.includes("/assets/")),
    );
    expect(before.length).toBeGreaterThan(50);
    expect(await page.evaluate(looks)).toEqual(before);
  }
});

const ALL = "+route,+session,+scores";
it.each([
  // The last width of cards and the first of a table, where the navigation is above the list and beside it.
  ...[400, 639, 640, 767, 768, 821, 822, 1000, 1280, 1920].map((width) => [width, {}] as const),
  [1280, { "agate-trace-columns": "-preview,-user" }] as const,
  [1920, { "agate-trace-columns": ALL }] as const,
  [1100, { "agate-trace-columns": `${ALL},-status,-cost`, "agate-theme": "dark" }] as const,
])("moves nothing when the page takes over, %i pixels wide, with %j", async (width, kept) => {
  const { web, page, release } = await openList(width, kept);
  await using _ = web;
  const before = await page.evaluate(places, "[data-first-row] a");
  release();
  await page.getByRole("grid").waitFor();
  await page.evaluate(() => document.fonts.ready);
  const after = await page.evaluate(places, "[role=grid] tbody tr a");
  expect(before.texts.length).toBeGreaterThan(6);
  // Fonts come with the page's style sheet: a text may become wider or narrower, from its one end or its other.
  for (const [text, { left, right, y }] of before.texts) {
    const isThere = ([other, there]: (typeof after.texts)[number]) =>
      other === text &&
      Math.abs(there.y - y) < 3 &&
      Math.min(Math.abs(there.left - left), Math.abs(there.right - right)) < 3;
    const same = after.texts.filter(([other]) => other === text);
    expect(after.texts.some(isThere), JSON.stringify([text, { left, right, y }, same])).toBe(true);
  }
  expect(after.texts.length).toBe(before.texts.length);
  expect(after.canvas).toBe(before.canvas);
});

it("shows the rows where no script runs, with days in UTC", async () => {
  await using web = await newPage({ own: { javaScriptEnabled: false } });
  await web.page.goto("/traces");
  const row = web.page.locator("[data-first-row]").filter({ hasText: "older" });
  const day = new Date(Date.now() - 400 * DAY).toISOString().slice(0, 10);
  expect(await row.locator("time").textContent()).toMatch(new RegExp(`^${day} \\d\\d:\\d\\d UTC$`));
  const message = web.page.locator("noscript").first();
  expect(await message.isVisible()).toBe(true);
  expect(await message.textContent()).toMatch(/The page needs JavaScript\./);
});

it("has more rows than a low window shows only where they are seen", async () => {
  const { url } = platform();
  const many = Array.from({ length: 24 }, (_, n) => ({ name: `many ${n}`, application: "look" }));
  await sendTraces(url, many);
  for (const height of [300, 500, 800, 1600]) {
    const { web, page } = await openList(1280, {}, height);
    await using _ = web;
    const { bottom, shown } = await page.evaluate(() => {
      const rows = [...document.querySelectorAll("[data-first-row]")].filter(
        (row) => row.getClientRects().length > 0,
      );
      return { bottom: rows.at(-1)?.getBoundingClientRect().bottom ?? 0, shown: rows.length };
    });
    expect(shown === 24 || bottom >= height, JSON.stringify({ height, shown, bottom })).toBe(true);
  }
});

/** How each element looks, in the browser. */
function looks(): string[] {
  // Fonts come with the page's style sheet: texts may be wider or narrower by a little.
  const depends = /(?:^|-)(?:width|height|size|origin|top|left|right|bottom|start|end)$|^inset|^--/;
  return [...document.querySelectorAll("#page, #page *")].map((element) => {
    const styles = ["", "::before", "::after"].map((part) => {
      const style = getComputedStyle(element, part);
      const names = [...style].filter((name) => !depends.test(name));
      return names.map((name) => `${name}:${style.getPropertyValue(name)}`).join(";");
    });
    return `${element.className} ${styles.join(" | ")}`;
  });
}

/** Where the texts of the list's rows are that can be seen, in the browser. */
function places(links: string) {
  const rows = [...document.querySelectorAll(links)].map((link) =>
    link.closest("[data-first-row], tr"),
  );
  const texts = rows.flatMap((row) => {
    const walker = document.createTreeWalker(row ?? document.body, NodeFilter.SHOW_TEXT);
    const found: [string, { left: number; right: number; y: number }][] = [];
    while (walker.nextNode()) {
      const range = document.createRange();
      range.selectNodeContents(walker.currentNode);
      const { left, right, y, width, height } = range.getBoundingClientRect();
      const text = walker.currentNode.textContent ?? "";
      // Ages go on meanwhile; the arrow is beside a text of another width.
      if (width > 1 && height > 1 && !/ago$|^→$|^\s*$/.test(text)) {
        found.push([text, { left, right, y: y + height / 2 }]);
      }
    }
    return found;
  });
  return { texts, canvas: getComputedStyle(document.body).backgroundColor };
}
