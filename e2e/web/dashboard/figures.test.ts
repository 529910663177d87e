import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { startServer } from "../../running-server.ts";
import { sendOtlp } from "../../send-otlp.ts";
import { withPlatform } from "../with-platform.ts";
import { calls, figure } from "./figure-tile.ts";
import { DAY, knownCalls } from "./known-calls.ts";

const THE_DAY = `/?from=${DAY.from}&to=${DAY.to}`;

const { open, platform } = withPlatform(startServer);
beforeAll(() => sendOtlp(platform().url, knownCalls()));

/** The rows of the table of groups, cell by cell. */
async function table(page: Page): Promise<readonly (readonly string[])[]> {
  const rows = await page.getByRole("table").locator("tbody tr").all();
  return Promise.all(rows.map((row) => row.locator("th, td").allTextContents()));
}

test("the figures of a day, their change from the day before, and the groups of every split", async () => {
  await using web = await open(THE_DAY);
  await web.page.getByLabel("up", { exact: true }).first().waitFor();
  expect(await figure(web.page, "Calls")).toEqual(["Calls", "7", "up 75%", "2 errors"]);
  expect(await figure(web.page, "Error rate")).toEqual([
    "Error rate",
    "28.6%",
    "up 29 points",
    "2 of 7",
  ]);
  expect(await figure(web.page, "Latency p95")).toEqual([
    "Latency p95",
    "1.70 s",
    "up over 999%",
    "p50 400 ms · p99 1.94 s",
  ]);
  expect(await figure(web.page, "Tokens")).toEqual([
    "Tokens",
    "550",
    "up 25%",
    "500 in · 50 out (5 of 7 calls)",
  ]);
  expect(await figure(web.page, "Cost")).toEqual([
    "Cost",
    "$0.050",
    "up 25%",
    "$0.010 per call (5 of 7 priced)",
  ]);

  // Exact figures of the table have their units.
  await expect.poll(async () => (await table(web.page))[0]?.[0]).toBe("shop");
  const cells = web.page.getByRole("row", { name: /^shop/ }).getByRole("cell");
  const titles = await cells.evaluateAll((all) => all.map((cell) => cell.getAttribute("title")));
  expect(titles).toEqual([
    "5 calls",
    "1 error",
    "20%",
    "300 ms",
    "480 ms",
    "496 ms",
    "500 tokens",
    "50 tokens",
    "$0.05",
  ]);

  const shop = ["5", "1", "20.0%", "300 ms", "480 ms", "496 ms", "500", "50", "$0.050"];
  const desk = ["2", "1", "50.0%", "1.50 s", "1.95 s", "1.99 s", "–", "–", "–"];
  for (const [split, names] of [
    ["route", ["/order", "/"]],
    ["variant", ["concise", "thorough"]],
    ["environment", ["production", "staging"]],
    ["application", ["shop", "desk"]],
  ] as const) {
    await web.page.getByLabel("Split by").selectOption(split);
    await expect
      .poll(() => table(web.page))
      .toEqual([
        [names[0], ...shop],
        [names[1], ...desk],
      ]);
  }

  // The table is sorted by any column, unknown values last.
  const first = async () => (await table(web.page))[0]?.[0];
  await web.page.getByRole("button", { name: "Error rate" }).click();
  await expect.poll(first).toBe("desk");
  const header = web.page.getByRole("columnheader", { name: "Error rate" });
  expect(await header.getAttribute("aria-sort")).toBe("descending");
  await web.page.getByRole("button", { name: "Error rate" }).click();
  await expect.poll(first).toBe("shop");
  await web.page.getByRole("button", { name: "Cost" }).click();
  await web.page.getByRole("button", { name: "Cost" }).click();
  const sort = () => new URL(web.page.url()).searchParams.get("sort");
  await expect.poll(sort).toBe("-cost");
  await expect.poll(first).toBe("shop");

  await web.page.getByLabel("Split by").selectOption("None");
  await web.page.getByRole("table").waitFor({ state: "detached" });
  web.expectNoFaults();
});

test("figures count only matching calls, and filters are in the address", async () => {
  await using web = await open(THE_DAY);
  await web.page.getByRole("button", { name: "Environment", exact: true }).click();
  await web.page.getByRole("menuitem", { name: "staging" }).click();
  await expect.poll(() => calls(web.page)).toBe("2");
  expect(new URL(web.page.url()).searchParams.get("environment")).toBe("staging");
  await web.page.reload();
  await expect.poll(() => calls(web.page)).toBe("2");
  await web.page.getByRole("button", { name: "Remove filter: Environment: staging" }).click();
  await expect.poll(() => calls(web.page)).toBe("7");

  await web.page.getByRole("button", { name: "desk", exact: true }).click();
  await expect.poll(() => calls(web.page)).toBe("2");
  expect(new URL(web.page.url()).searchParams.get("application")).toBe("desk");
  await web.page.getByRole("button", { name: "desk", exact: true }).click();
  await expect.poll(() => calls(web.page)).toBe("7");
  web.expectNoFaults();
});

test("the mean of a score, with what was skipped and has failed apart, and the traces behind it", async () => {
  const scores = [
    { trace_id: traceIdOf("01"), name: "helpful", value: 0.25 },
    { trace_id: traceIdOf("02"), name: "helpful", value: 0.75 },
    { trace_id: traceIdOf("03"), name: "helpful", status: "failed", error: "No answer" },
    { trace_id: traceIdOf("04"), name: "helpful", value: 1 },
    { trace_id: traceIdOf("05"), name: "helpful", status: "skipped" },
    { trace_id: traceIdOf("01"), name: "tone", value: -0.5 },
  ];
  const posted = await fetch(`${platform().url}/observability/scores/`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ scores }),
  });
  expect(posted.status).toBeLessThan(300);
  await using web = await open(`${THE_DAY}&by=none`);
  const { page } = web;
  const chart = page.getByRole("region", { name: "Score: helpful" });
  await chart.getByText("Mean 0.667 of 3 · 1 skipped · 1 failed").waitFor();
  await web.expectAccessible();
  const time = chart.getByRole("slider");
  await time.focus();
  await page.keyboard.press("Home");
  for (let hour = 0; hour < 10; hour++) {
    for (let quarter = 0; quarter < 4; quarter++) await page.keyboard.press("ArrowRight");
  }
  // As in the figures: of four calls, one judgement failed.
  await expect.poll(() => time.getAttribute("aria-valuetext")).toContain("10:00");
  expect(await time.getAttribute("aria-valuetext")).toMatch(/: Mean 0\.667$/);

  await page.getByLabel("Split by").selectOption("application");
  await expect.poll(() => time.getAttribute("aria-valuetext")).toMatch(/: shop 0\.5$/);
  await page.keyboard.press("Enter");
  await page.getByText("End of list · 3 traces").waitFor();
  expect(Object.fromEntries(new URL(page.url()).searchParams)).toMatchObject({
    application: "shop",
    score: "helpful:any",
  });
  await page.goBack();
  await page.getByLabel("Score", { exact: true }).selectOption("tone");
  await page.getByRole("region", { name: "Score: tone" }).getByText("Mean -0.5 of 1").waitFor();
  expect(new URL(page.url()).searchParams.get("score")).toBe("tone");
  await web.look({ width: 390, theme: "dark" });
  await web.expectNoOverflow();
  await web.expectAccessible();
  web.expectNoFaults();
});

function traceIdOf(id: string): string {
  return id.padStart(32, "d");
}
