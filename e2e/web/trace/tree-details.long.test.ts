import { beforeAll, describe, expect, it } from "vitest";
import { startServer } from "../../running-server.ts";
import { sendOtlp } from "../../send-otlp.ts";
import type { WebPage } from "../web-page.ts";
import { withPlatform } from "../with-platform.ts";
import { agentTrace, newTraceId, numberedTrace, spanId } from "./sample-traces.ts";
import { chosen, row } from "./tree-rows.ts";

const agent = agentTrace(Date.now() - 3_600_000);
const { newPage, open, platform, registry } = withPlatform(startServer);
beforeAll(async () => {
  await registry("POST", "/applications", { slug: "travel" });
  await sendOtlp(platform().url, agent.spans);
});

function openTrace(
  options: { traceId?: string; span?: string; width?: number; theme?: "dark" } = {},
): Promise<WebPage> {
  const { traceId = agent.traceId, span, ...look } = options;
  return open(`/traces/${traceId}${span === undefined ? "" : `?span=${span}`}`, look);
}

describe("the tree of a trace", () => {
  it("opens at the span of a link, or reports that span or trace are missing", async () => {
    await using web = await openTrace({ span: spanId(agent.traceId, 7) });
    await web.page.getByRole("heading", { name: "guard", level: 2 }).waitFor();
    expect(await row(web.page, /guard/).getAttribute("aria-selected")).toBe("true");
    await web.open(`/traces/${agent.traceId}?span=nowhere`);
    await web.page.getByText("Span not found").waitFor();
    await web.page.getByRole("button", { name: "Show root span" }).click();
    await web.page.getByRole("heading", { name: "plan a trip", level: 2 }).waitFor();
    await web.open("/traces/a%20b");
    await web.page.getByText("An id is 1 to 128 characters").waitFor();
    web.expectNoFaults();
  });
});

describe("finding things in a trace", () => {
  it("centres the next error, and counts errors below collapsed spans", async () => {
    const { traceId, spans } = numberedTrace(200, (n) => (n < 100 ? 0 : 99));
    const failed = spans.map((span, n) =>
      [60, 150].includes(n) ? { ...span, status: { code: 2 } as const } : span,
    );
    await sendOtlp(platform().url, failed);
    await using web = await open(`/traces/${traceId}`);
    const { page } = web;
    const grid = page.getByRole("treegrid");
    const next = page.getByRole("button", { name: "Next error 2" });
    for (const name of ["step 60", "step 150"]) {
      await next.click();
      const row = page.getByRole("row", { name: new RegExp(name), selected: true });
      await row.waitFor();
      const middle = async (of: typeof row) => {
        const { y, height } = (await of.boundingBox())!;
        return y + height / 2;
      };
      await expect
        .poll(async () => Math.abs((await middle(row)) - (await middle(grid))))
        .toBeLessThan(40);
    }
    // What is clicked on stays where it is.
    const clicked = page.getByRole("row", { name: /step 152/ });
    const before = await clicked.boundingBox();
    await clicked.click();
    await page.getByRole("row", { name: /step 152/, selected: true }).waitFor();
    expect(await clicked.boundingBox()).toEqual(before);

    expect(await page.getByText("below").count()).toBe(0);
    await page.getByRole("button", { name: "Collapse and expand" }).click();
    await page.getByRole("menuitem", { name: "Level 1" }).click();
    await page.getByRole("row", { name: /step 99.*1 error below/ }).waitFor();
    await page.getByRole("button", { name: "Collapse and expand" }).click();
    await page.getByRole("menuitem", { name: "Collapse all" }).click();
    await page.getByRole("row", { name: /step 0.*2 errors below/ }).waitFor();
    await web.expectAccessible();
    web.expectNoFaults();
  });

  it("shows the critical path, jumps to its longest span, and zooms", async () => {
    await using web = await openTrace();
    const { page } = web;
    await page.getByRole("button", { name: "Critical path" }).click();
    await expect.poll(() => chosen(page)).toBe(spanId(agent.traceId, 6));
    await row(page, /chat gpt-5-mini.*31%/).waitFor();
    await row(page, /weather again 1%/).waitFor();
    expect(await row(page, /look up hotels/).textContent()).not.toContain("%");
    await web.expectAccessible();
    await page.getByRole("button", { name: "Critical path" }).click();
    await row(page, /31%/).waitFor({ state: "detached" });

    // By dragging over the axis, and to a span.
    const axis = page.getByRole("columnheader", { name: "Time" });
    const box = (await axis.boundingBox())!;
    const at = (part: number) => [box.x + box.width * part, box.y + box.height / 2] as const;
    await page.mouse.move(...at(0));
    await page.mouse.down();
    await page.mouse.move(...at(0.25), { steps: 3 });
    await page.mouse.up();
    const reset = page.getByRole("button", { name: "Reset zoom" });
    await reset.waitFor();
    await expect.poll(() => axis.textContent()).toContain("ms");
    await reset.click();
    await reset.waitFor({ state: "detached" });
    await expect.poll(() => axis.textContent()).toContain("1 s");
    await row(page, /look up hotels/).click();
    await page.keyboard.press("z");
    await reset.waitFor();
    await expect.poll(() => axis.textContent()).toContain("1.35 s");
    await page.keyboard.press("Shift+Z");
    await reset.waitFor({ state: "detached" });
    web.expectNoFaults();
  });
});

describe("a trace that is still being written", () => {
  it("is shown when it arrives after its link was opened, without polling", async () => {
    const traceId = newTraceId();
    await using web = await newPage({ own: {} });
    const { page } = web;
    await page.clock.install();
    const reads: string[] = [];
    const path = `/observability/traces/${traceId}/`;
    page.on("request", (request) => {
      if (new URL(request.url()).pathname === path) reads.push(path);
    });
    const listens = page.waitForRequest((request) => request.url().includes("/live/"));
    await web.open(`/traces/${traceId}`);
    await page.getByText("Trace not found").waitFor();
    await listens;
    await page.clock.runFor(60_000);
    await page.evaluate(() => fetch("/health").then((answer) => answer.text()));
    // Once when the page opened, and once when the events were listened to.
    expect(reads.length).toBeLessThanOrEqual(2);
    await web.expectAccessible();
    const start = Date.now();
    await sendOtlp(platform().url, [
      { traceId, spanId: spanId(traceId, 0), name: "here at last", start, end: start + 5 },
    ]);
    await page.getByRole("heading", { name: "here at last", level: 1 }).waitFor();
    web.expectNoFaults();
  });
});

describe("on a phone, in the dark", () => {
  it("shows the tree, and the selected span on top", async () => {
    await using web = await openTrace({ width: 390, theme: "dark" });
    const { page } = web;
    await row(page, /plan a trip/).waitFor();
    await web.expectAccessible();
    const isCut = await page
      .getByRole("heading", { name: "plan a trip", level: 1 })
      .evaluate((heading) => heading.scrollWidth > heading.clientWidth);
    expect(isCut).toBe(false);
    await row(page, /weather again/).click();
    await page.getByRole("heading", { name: "weather again", level: 2 }).waitFor();
    await web.expectAccessible();
    await web.expectNoOverflow();
    await page.getByRole("button", { name: "Close span" }).click();
    await page.getByRole("heading", { level: 2 }).waitFor({ state: "hidden" });
    web.expectNoFaults();
  });
});
