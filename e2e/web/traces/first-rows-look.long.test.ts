import { expect, it } from "vitest";
import { startServer } from "../../running-server.ts";
import { withPlatform } from "../with-platform.ts";
import { sendTraces } from "./sent-trace.ts";

const { newPage, platform } = withPlatform(startServer);

it("draws the first rows as the page's own style sheet has them", async () => {
  const { url } = platform();
  await sendTraces(url, [
    { name: "fine", application: "look" },
    { name: "failed", application: "look", status: { code: 2 } },
  ]);
  await (await fetch(`${url}/observability/traces/`)).arrayBuffer();
  for (const width of [1280, 500]) {
    await using web = await newPage({ own: { viewport: { width, height: 800 } } });
    const { page } = web;
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route("**/assets/*.css", async (route) => {
      await released;
      await route.continue();
    });
    // Not the page's script, which would put the page in their place.
    await page.route("**/assets/*.js", (route) => route.abort());
    await page.goto("/traces", { waitUntil: "commit" });
    await page.locator("[data-first-row]").first().waitFor();
    const before = await page.evaluate(looks);
    release();
    await page.waitForFunction(() => document.styleSheets.length === 2);
    expect(before.length).toBeGreaterThan(50);
    expect(await page.evaluate(looks)).toEqual(before);
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
