import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { startServer } from "../../running-server.ts";
import { sendOtlp } from "../../send-otlp.ts";
import type { WebPage } from "../web-page.ts";
import { withPlatform } from "../with-platform.ts";
import { agentTrace, newTraceId, spanId } from "./sample-traces.ts";
import { chosen, grid, row } from "./tree-rows.ts";

const agent = agentTrace(Date.now() - 3_600_000);
const { open, platform, registry } = withPlatform(startServer);
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

const names = (page: Page) => grid(page).getByRole("row").locator("bdi").allTextContents();

describe("the header of a trace", () => {
  it("has its figures, and links to traces with the same values", async () => {
    await using web = await openTrace();
    const { page } = web;
    await page.getByRole("heading", { name: "plan a trip", level: 1 }).waitFor();
    const header = page.getByRole("main").locator("header").first();
    const shown = await header.textContent();
    for (const text of ["OK", "2.40 s", "2,400 in · 290 out · 600 cached · 30 reasoning"]) {
      expect(shown).toContain(text);
    }
    expect(shown).toContain("9 · 2 errors");
    expect(shown).toContain("1 h ago");
    const target = async (name: string) => {
      const href = await header.getByRole("link", { name }).getAttribute("href");
      const { pathname, searchParams } = new URL(href ?? "", platform().url);
      return [pathname, Object.fromEntries(searchParams)];
    };
    expect(await target("travel")).toEqual(["/traces", { application: "travel" }]);
    expect(await target("careful@3")).toEqual(["/apps/travel/variants/careful", {}]);
    expect(await target("staging")).toEqual(["/traces", { environment: "staging" }]);
    expect(await target("ada@example.com")).toEqual(["/traces", { user_id: "ada@example.com" }]);
    expect(await target("session 7")).toEqual(["/traces", { session_id: "session 7" }]);
    await page.getByRole("button", { name: "Copy trace id" }).click();
    await expect
      .poll(() => page.evaluate(() => navigator.clipboard.readText()))
      .toBe(agent.traceId);
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download as JSON" }).click();
    expect((await download).suggestedFilename()).toBe(`trace-${agent.traceId}.json`);
    await web.expectAccessible();
    web.expectNoFaults();
  });
});

describe("the tree of a trace", () => {
  it("has every span in its place, collapses and expands, and has the keys of a treegrid", async () => {
    await using web = await openTrace();
    const { page } = web;
    await expect
      .poll(() => names(page))
      .toEqual([
        "plan a trip",
        "chat gpt-5-mini",
        "weather",
        "weather again",
        "GET /forecast",
        "look up hotels",
        "chat gpt-5-mini",
        "guard",
        "lost child",
      ]);
    expect(await row(page, /GET .forecast/).getAttribute("aria-level")).toBe("3");
    const lost = spanId(agent.traceId, 999);
    await row(page, /lost child/)
      .getByLabel(`Parent span ${lost} not recorded`)
      .waitFor();

    // By pointer, and from the menu.
    const parent = row(page, /weather again/);
    await row(page, /forecast/).click();
    await expect.poll(() => chosen(page)).toBe(spanId(agent.traceId, 4));
    await parent.getByRole("button", { name: "Collapse" }).click();
    await row(page, /forecast/).waitFor({ state: "detached" });
    // What is folded stays so, although the chosen span was in it.
    await row(page, /look up hotels/).click();
    await expect.poll(() => chosen(page)).toBe(spanId(agent.traceId, 5));
    expect(await parent.getAttribute("aria-expanded")).toBe("false");
    await parent.getByRole("button", { name: "Expand" }).click();
    await row(page, /forecast/).waitFor();
    const choose = async (item: string) => {
      await page.getByRole("button", { name: "Collapse and expand" }).click();
      await page.getByRole("menuitem", { name: item }).click();
    };
    await choose("Collapse all");
    await expect.poll(() => names(page)).toEqual(["plan a trip"]);
    await choose("Level 1");
    await expect.poll(async () => (await names(page)).length).toBe(7);
    await choose("Expand all");
    await expect.poll(async () => (await names(page)).length).toBe(9);

    // By keys, from the root on.
    await row(page, /plan a trip/).click();
    await expect.poll(() => chosen(page)).toBe(spanId(agent.traceId, 0));
    await grid(page).focus();
    const active = async () => {
      const id = await grid(page).getAttribute("aria-activedescendant");
      return page.locator(`[id="${id}"] bdi`).textContent();
    };
    const press = async (keys: readonly string[]) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    await press(["ArrowDown", "ArrowDown", "ArrowDown"]);
    await expect.poll(active).toBe("weather again");
    await press(["ArrowLeft"]);
    await expect.poll(() => row(page, /weather again/).getAttribute("aria-expanded")).toBe("false");
    await press(["ArrowRight", "ArrowRight"]);
    await expect.poll(active).toBe("GET /forecast");
    await press(["ArrowLeft", "ArrowLeft", "End"]);
    await expect.poll(active).toBe("lost child");
    await press(["*"]);
    await row(page, /forecast/).waitFor();
    await press(["Home", "ArrowDown", "Enter"]);
    await expect.poll(() => chosen(page)).toBe(spanId(agent.traceId, 1));
    await page.getByRole("heading", { name: "chat gpt-5-mini", level: 2 }).waitFor();
    web.expectNoFaults();
  });
});

describe("finding things in a trace", () => {
  it("searches names and content, and steps through matches and errors", async () => {
    await using web = await openTrace();
    const { page } = web;
    await row(page, /weather again/)
      .getByRole("button", { name: "Collapse" })
      .click();
    const search = page.getByRole("searchbox", { name: "Search in trace" });
    await search.fill("forecast");
    await page.getByText("1 of 1").waitFor();
    await row(page, /forecast/)
      .locator("mark")
      .waitFor();
    await search.fill("berne");
    await page.getByText("1 of 3").waitFor();
    await search.press("Enter");
    await page.getByText("2 of 3").waitFor();
    await expect.poll(() => chosen(page)).toBe(spanId(agent.traceId, 1));
    await page.getByRole("button", { name: "Next match" }).click();
    await page.getByText("3 of 3").waitFor();
    await page.getByRole("button", { name: "Previous match" }).click();
    await page.getByText("2 of 3").waitFor();
    await search.fill("nowhere to be found");
    await page.getByText("No matches").waitFor();
    await search.fill("");

    const next = page.getByRole("button", { name: "Next error 2" });
    await next.click();
    await page.getByRole("note").getByText("The weather service does not answer").waitFor();
    await next.click();
    await page.getByRole("note").getByText("Too cheerful").waitFor();
    await next.click();
    await expect.poll(() => chosen(page)).toBe(spanId(agent.traceId, 2));
    web.expectNoFaults();
  });
});

describe("a trace that is still being written", () => {
  it("adds late spans without moving the others", async () => {
    const trace = agentTrace(Date.now() - 5000);
    const late = trace.spans[5]!;
    await sendOtlp(
      platform().url,
      trace.spans.filter((span) => span !== late),
    );
    await using web = await openTrace({ traceId: trace.traceId, span: spanId(trace.traceId, 3) });
    const { page } = web;
    await row(page, /weather again/)
      .getByRole("button", { name: "Collapse" })
      .click();
    await page.getByRole("tab", { name: "Metadata" }).click();
    await sendOtlp(platform().url, [late]);
    const note = page.getByRole("button", { name: "1 new span" });
    await note.waitFor();
    await row(page, /look up hotels New/).waitFor();
    expect(chosen(page)).toBe(spanId(trace.traceId, 3));
    expect(await row(page, /weather again/).getAttribute("aria-expanded")).toBe("false");
    await note.click();
    await expect.poll(() => chosen(page)).toBe(late.spanId);
    await note.waitFor({ state: "detached" });
    expect(await page.getByRole("tab", { name: "Metadata" }).getAttribute("aria-selected")).toBe(
      "true",
    );
    web.expectNoFaults();
  });
});

it("is deleted after confirmation", async () => {
  const traceId = newTraceId();
  const start = Date.now();
  await sendOtlp(platform().url, [
    { traceId, spanId: spanId(traceId, 0), name: "short-lived", start, end: start + 5 },
  ]);
  await using web = await openTrace({ traceId });
  const { page } = web;
  await page.getByRole("button", { name: "Delete" }).click();
  const dialog = page.getByRole("dialog", { name: "Delete trace?" });
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Delete" }).click();
  await dialog.getByRole("button", { name: "Delete" }).click();
  await page.getByText("Trace deleted.").waitFor();
  await expect.poll(() => new URL(page.url()).pathname).toBe("/traces");
  const answer = await fetch(`${platform().url}/observability/traces/${traceId}/`);
  expect(answer.status).toBe(404);
  web.expectNoFaults();
});
