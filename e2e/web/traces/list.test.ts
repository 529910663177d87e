import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { startServer } from "../../running-server.ts";
import { sendOtlp } from "../../send-otlp.ts";
import { withPlatform } from "../with-platform.ts";
import { sendTraces } from "./sent-trace.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** In the middle of a minute, and of longer slices of time, so that those beside it share its slice. */
const FIVE_DAYS_AGO = Math.floor(Date.now() / HOUR) * HOUR - 5.5 * DAY + 7.5 * 60_000;

const { newPage, open, platform, registry } = withPlatform(startServer);
beforeAll(async () => {
  await sendTraces(platform().url, SENT);
});

/** One trace of which everything is known, one of which nothing is, and others beside them. */
const SENT = [
  {
    name: "known",
    application: "columns",
    start: FIVE_DAYS_AGO,
    latency: 1934.567,
    status: { code: 1 },
    attributes: {
      "ag.span.kind": "LLM",
      "ag.route": "/answer",
      "ag.variant.name": "concise",
      "ag.variant.revision": 7,
      "ag.environment": "staging",
      "ag.content.inputs": JSON.stringify({ question: "What is\nagate?" }),
      "ag.content.outputs": JSON.stringify("A banded stone."),
      "gen_ai.provider.name": "openai",
      "gen_ai.request.model": "gpt-5-mini",
      "gen_ai.usage.input_tokens": 1000,
      "gen_ai.usage.cache_read.input_tokens": 400,
      "gen_ai.usage.output_tokens": 100,
      "user.id": "ada",
      "session.id": "talk-1",
    },
  },
  { name: "unknown", application: "columns", start: FIVE_DAYS_AGO - 1000 },
  {
    name: "failed",
    application: "columns",
    start: FIVE_DAYS_AGO - 2000,
    status: { code: 2, message: "The model is <b>tired</b>." },
    attributes: { "ag.span.kind": "AGENT", "ag.environment": "production" },
  },
] as const;

/** The names of the rows that are shown, from above. */
async function names(page: Page): Promise<readonly string[]> {
  return page.getByRole("grid").getByRole("row").getByRole("link").allInnerTexts();
}

const queryOf = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams);

describe("the columns", () => {
  it("show known values, exact ones in their titles, a dash for unknown ones, and can be chosen", async () => {
    await using web = await open("/traces?application=columns");
    const { page } = web;
    const cell = (row: string, column: string) => cellOf(page, row, column);
    await page.getByRole("link", { name: "known", exact: true }).waitFor();
    expect(await page.getByRole("columnheader").allInnerTexts()).toEqual([
      "Time",
      "Name",
      "Status",
      "Kind",
      "Latency",
      "Tokens",
      "Cost",
      "Variant",
      "Rev.",
      "Environment",
      "User",
      "Application",
      "More",
    ]);
    const known = await cellsOf(page, "known");
    expect(known.slice(0, 12)).toEqual([
      "5 d ago",
      "known",
      "OK",
      "LLM",
      "1.93 s",
      "1,100",
      "$0.00036",
      "concise",
      "7",
      "staging",
      "ada",
      "columns",
    ]);
    expect(known.at(-1)).toBe("What is agate?→A banded stone.");
    expect((await cellsOf(page, "unknown")).slice(2, 12)).toEqual([
      "",
      "UNKNOWN",
      "10.0 ms",
      "–",
      "–",
      "–",
      "–",
      "–",
      "–",
      "columns",
    ]);
    expect(await cell("known", "Latency")).toBe("1,934.567 ms");
    expect(await cell("known", "Cost")).toBe("$0.00036");
    expect(await cell("known", "Tokens")).toBe("1,000 in, 400 cached, 100 out, 1,100 total");
    expect(await cell("known", "Time")).toContain(
      new Date(FIVE_DAYS_AGO).toISOString().slice(0, 23),
    );
    expect(await cell("unknown", "Cost")).toBe("Cost unknown");
    expect((await cellsOf(page, "failed")).at(-1)).toContain("The model is <b>tired</b>.");

    // The chosen columns are kept.
    const head = (name: string) => page.getByRole("columnheader", { name, exact: true });
    await page.getByRole("button", { name: "Columns", exact: true }).click();
    await page.getByRole("checkbox", { name: "User" }).uncheck();
    await page.getByRole("checkbox", { name: "Session" }).check();
    await head("Session").waitFor();
    await head("User").waitFor({ state: "detached" });
    await page.reload();
    await head("Session").waitFor();
    expect(await head("User").count()).toBe(0);
    await expect.poll(() => cellsOf(page, "known")).toContain("talk-1");
    web.expectNoFaults();
  });
});

/** The texts of a row's cells. */
async function cellsOf(page: Page, name: string): Promise<readonly string[]> {
  const row = page.getByRole("row").filter({ has: page.getByRole("link", { name, exact: true }) });
  return row.getByRole("gridcell").allInnerTexts();
}

/** What a cell says on hover. */
async function cellOf(page: Page, name: string, column: string): Promise<string> {
  const heads = await page.getByRole("columnheader").allInnerTexts();
  const row = page.getByRole("row").filter({ has: page.getByRole("link", { name, exact: true }) });
  const cell = row.getByRole("gridcell").nth(heads.indexOf(column));
  return (await cell.locator("[title]").getAttribute("title")) ?? "";
}

describe("filters", () => {
  it("come from the address, and are all sent to the platform", async () => {
    // The page's parsing of each is tested in traces-search.test.ts, and the platform's filters with it.
    const filters = {
      application: "columns",
      route: "/answer",
      variant: "concise",
      revision: "7",
      environment: "staging",
      status: "OK",
      spankind: "LLM",
      name: "known",
      user_id: "ada",
      session_id: "talk-1",
      min_latency: "1000",
      min_cost: "0.0001",
    };
    await using web = await newPage();
    const { page } = web;
    const listed = page.waitForRequest(/\/observability\/traces\/\?/);
    await web.open(`/traces?${new URLSearchParams(filters)}`);
    const sent = new URL((await listed).url()).searchParams;
    expect(Object.fromEntries(sent)).toMatchObject(filters);
    await page.getByText("End of list · 1 trace").waitFor();
    expect(await names(page)).toEqual(["known"]);
    await page.getByRole("button", { name: "Remove filter: Application is columns" }).waitFor();
    await web.open("/traces?application=columns&view=spans&spankind=AGENT");
    await page.getByText("End of list · 1 span").waitFor();
    expect(await names(page)).toEqual(["failed"]);
    web.expectNoFaults();
  });

  it("are added, edited and removed as chips, kept in the address, and undone by Back", async () => {
    await using web = await open("/traces?application=columns");
    const { page } = web;
    await page.getByText("End of list · 3 traces").waitFor();
    // They are offered for the values of a row, in its menu and by Alt-click.
    await page.getByRole("button", { name: "More for known" }).click();
    await page.getByRole("menuitem", { name: "User is ada" }).click();
    await expect.poll(() => names(page)).toEqual(["known"]);
    expect(queryOf(page)).toEqual({ application: "columns", user_id: "ada" });
    await page.getByText("staging").click({ modifiers: ["Alt"] });
    await page.getByRole("button", { name: "Remove filter: Environment is staging" }).click();
    await page.getByRole("button", { name: "Remove filter: User is ada" }).click();
    await page.getByText("End of list · 3 traces").waitFor();
    expect(queryOf(page)).toEqual({ application: "columns" });

    await page.keyboard.press("f");
    await page.getByRole("combobox", { name: "Filter by" }).fill("stat");
    await page.keyboard.press("Enter");
    await page.getByRole("option", { name: "ERROR" }).click();
    await page.getByText("End of list · 1 trace").waitFor();
    expect(queryOf(page)).toEqual({ application: "columns", status: "ERROR" });

    await page.getByRole("button", { name: "Edit filter: Status is ERROR" }).click();
    await page.getByRole("option", { name: "OK", exact: true }).click();
    await expect.poll(() => names(page)).toEqual(["known"]);
    expect(queryOf(page)).toEqual({ application: "columns", status: "OK" });

    await page.getByRole("button", { name: "Add filter" }).click();
    await page.getByRole("option", { name: "Latency" }).click();
    await page.getByRole("combobox", { name: "Latency" }).fill("1500");
    await page.getByRole("option", { name: "Latency ≥ 1500 ms" }).click();
    await page.getByRole("button", { name: "Remove filter: Latency ≥ 1500 ms" }).waitFor();
    expect(queryOf(page)).toMatchObject({ min_latency: "1500" });

    // What traces have is suggested, with how many.
    await page.getByRole("button", { name: "Add filter" }).click();
    await page.getByRole("option", { name: "Environment" }).click();
    await page.getByRole("option", { name: "staging 1" }).click();
    await page.getByRole("button", { name: "Remove filter: Environment is staging" }).click();

    await page.getByRole("button", { name: "Remove filter: Status is OK" }).click();
    await expect.poll(() => queryOf(page)).toEqual({ application: "columns", min_latency: "1500" });
    await page.goBack();
    await page.getByRole("button", { name: "Edit filter: Status is OK" }).waitFor();
    web.expectNoFaults();
  });

  it("show why the platform rejected them", async () => {
    await using web = await open("/traces?min_cost=lots&from=soon");
    const { page } = web;
    const chip = page.getByRole("button", { name: /^Edit filter: Cost ≥ lots\. Must be a number/ });
    await chip.waitFor();
    await page.getByRole("button", { name: /^Time range: Since soon\. Must be an ISO/ }).waitFor();
    await web.expectAccessible();
    await chip.click();
    await page.getByRole("combobox", { name: "Cost" }).fill("0.0001");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: /Time range/ }).click();
    await page.getByRole("button", { name: "All time" }).click();
    await page.getByRole("link", { name: "known", exact: true }).waitFor();
    web.expectNoFaults();
  });
});

describe("the search", () => {
  it("finds words, phrases and prefixes, and is in the address", async () => {
    await using web = await newPage();
    const { page } = web;
    await expect
      .poll(async () => {
        const url = `${platform().url}/observability/traces/?application=columns&q=banded`;
        const { items } = (await (await fetch(url)).json()) as { items: readonly unknown[] };
        return items.length;
      })
      .toBe(1);
    await web.open("/traces?application=columns");
    await page.getByText("End of list · 3 traces").waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type('"banded stone"');
    await page.getByText("End of list · 1 trace").waitFor();
    expect(queryOf(page)).toEqual({ application: "columns", q: '"banded stone"' });
    const box = page.getByRole("textbox", { name: "Search names and content" });
    await box.fill("bande*");
    await expect.poll(() => queryOf(page).q).toBe("bande*");
    await expect.poll(() => names(page)).toEqual(["known"]);
    await box.fill("no such words");
    await page.getByRole("heading", { name: "No traces match" }).waitFor();
    await web.expectAccessible();
    await page.getByRole("button", { name: "Clear all filters" }).click();
    await page.getByRole("link", { name: "known", exact: true }).waitFor();
    await expect.poll(async () => [await box.inputValue(), queryOf(page)]).toEqual(["", {}]);
    web.expectNoFaults();
  });
});

describe("the time range", () => {
  it("ends now, or is fixed in local time", async () => {
    await using web = await open("/traces?application=columns");
    const { page } = web;
    await page.getByText("End of list · 3 traces").waitFor();
    await page.getByRole("button", { name: "Time range: All time" }).click();
    await page.getByRole("button", { name: "Last 24 hours" }).click();
    await page.getByRole("heading", { name: "No traces match" }).waitFor();
    expect(queryOf(page)).toEqual({ application: "columns", range: "24h" });

    await page.getByRole("button", { name: "Time range: Last 24 hours" }).click();
    const local = await page.evaluate((from) => {
      const date = new Date(from - new Date(from).getTimezoneOffset() * 60_000);
      return date.toISOString().slice(0, 19);
    }, FIVE_DAYS_AGO - 1000);
    await page.getByLabel("From").fill(local);
    await web.expectAccessible();
    await page.getByRole("button", { name: "Apply" }).click();
    await page.getByText("End of list · 2 traces").waitFor();
    expect(await names(page)).toEqual(["known", "unknown"]);
    expect(queryOf(page).from).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/);

    // A click on the histogram narrows it.
    await page.getByRole("button", { name: /^Time range/ }).click();
    await page.getByRole("button", { name: "Last 7 days" }).click();
    const histogram = page.getByRole("img", { name: /^3 traces, 1 failed, / });
    await histogram.locator('[title*="3 traces, 1 failed"]').click();
    await expect.poll(() => Object.keys(queryOf(page))).toEqual(["application", "from", "to"]);
    await page.getByText("End of list · 3 traces").waitFor();
    web.expectNoFaults();
  });

  it("has a histogram over all time, beyond one page and a month", async () => {
    const application = "all time";
    const old = Date.now() - 400 * 86_400_000;
    await sendTraces(platform().url, [
      { name: "the first", application, start: old, status: { code: 2 } },
      ...Array.from({ length: 60 }, (_, n) => ({ name: `recent ${n}`, application })),
    ]);
    await using web = await open(`/traces?application=${application}`);
    const { page } = web;
    const histogram = page.getByRole("img", { name: /^61 traces, 1 failed, / });
    await histogram.waitFor();
    const year = String(new Date(old).getFullYear());
    expect(await histogram.getAttribute("aria-label")).toContain(year);
    // One narrows it to the oldest, which no page has shown yet.
    await histogram.locator('[title*="1 trace, 1 failed"]').click();
    await page.getByRole("link", { name: "the first" }).waitFor();
    await expect.poll(() => names(page)).toEqual(["the first"]);
    web.expectNoFaults();
  });
});

it("shows failed spans below a root that is OK, and cancelled calls, wide and narrow", async () => {
  const application = "marks";
  const [top] = await sendTraces(platform().url, [
    { name: "fine at the top", application, status: { code: 1 } },
    { name: "fine", application, status: { code: 1 }, start: Date.now() - 1000 },
    { name: "left", application, attributes: { "ag.cancelled": true } },
  ]);
  const below = (spanId: string) => ({ ...top!, spanId, parentSpanId: top!.spanId });
  await sendOtlp(platform().url, [
    { ...below("aaaaaaaaaaaaaaa1"), name: "a", status: { code: 2 } },
    { ...below("aaaaaaaaaaaaaaa2"), name: "b", status: { code: 2 } },
    { ...below("aaaaaaaaaaaaaaa3"), name: "c", status: { code: 1 } },
  ]);
  await using web = await open(`/traces?application=${application}`);
  const { page } = web;
  const mark = page.getByRole("img", { name: /failed span/ });
  for (const width of [390, 1280]) {
    await web.look({ width });
    await page
      .getByRole("row", { name: /fine at the top/ })
      .getByRole("img", { name: "2 failed spans below" })
      .waitFor();
    expect(await mark.count()).toBe(1);
    await page.getByRole("row", { name: /left.*Cancelled/ }).waitFor();
    await web.expectAccessible();
  }
  await page.getByRole("link", { name: "left" }).click();
  const spans = page.getByRole("treegrid", { name: "Spans" });
  await spans.getByRole("row").getByRole("img", { name: "Cancelled" }).waitFor();
  // Of the trace, and of its span.
  await expect.poll(() => page.getByText("Cancelled", { exact: true }).count()).toBe(2);
  await web.expectAccessible();
  web.expectNoFaults();
});

/** As the browser itself knows them: its driver does not hear of every tab that a click has opened. */
async function addressesOfTabs(page: Page): Promise<readonly string[] | undefined> {
  const browser = await page.context().browser()?.newBrowserCDPSession();
  const targets = await browser?.send("Target.getTargets");
  await browser?.detach();
  return targets?.targetInfos.filter(({ type }) => type === "page").map(({ url }) => url);
}

describe("a trace of the list", () => {
  it("is copied by id, opened in a new tab, and deleted after confirmation", async () => {
    const [span] = await sendTraces(platform().url, [{ name: "doomed", application: "deleting" }]);
    // A context of its own, which closes the second tab as well.
    await using web = await open("/traces?application=deleting", { own: {} });
    const { page } = web;
    const more = page.getByRole("button", { name: "More for doomed" });
    await more.click();
    await page.getByRole("menuitem", { name: "Copy trace id" }).click();
    await page.getByText("Trace id copied.").waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(span?.traceId);

    await page.getByRole("link", { name: "doomed" }).click({ button: "middle" });
    await expect
      .poll(() => addressesOfTabs(page))
      .toContain(`${platform().url}/traces/${span?.traceId}`);

    await more.click();
    await page.getByRole("menuitem", { name: "Delete trace…" }).click();
    const dialog = page.getByRole("dialog", { name: "Delete trace?" });
    await dialog.getByText(span?.traceId ?? "").waitFor();
    await web.expectAccessible();
    await dialog.getByRole("button", { name: "Delete" }).click();
    await page.getByText("Trace deleted.").waitFor();
    await page.getByRole("heading", { name: "No traces match" }).waitFor();
    const read = await fetch(`${platform().url}/observability/traces/${span?.traceId}/`);
    expect(read.status).toBe(404);
    web.expectNoFaults();
  });
});

it("shows how to send traces where there are none, then the first trace", async () => {
  await registry("POST", "/projects", { slug: "empty" });
  await using web = await open("/traces?project=empty");
  await web.page.getByRole("heading", { name: "No traces yet" }).waitFor();
  await web.page.getByText(`export OTEL_EXPORTER_OTLP_ENDPOINT=${platform().url}`).waitFor();
  await web.expectAccessible();
  await sendTraces(platform().url, [{ name: "first", application: "new" }], { project: "empty" });
  await web.page.getByRole("link", { name: "first" }).waitFor();
  web.expectNoFaults();
});

it("is accessible, wide and light, and on a phone in the dark", async () => {
  await using web = await open("/traces?application=columns&min_latency=1");
  const { page } = web;
  for (const [width, theme] of [
    [1280, "light"],
    [390, "dark"],
  ] as const) {
    await web.look({ width, theme });
    await page.getByRole("link", { name: "known", exact: true }).waitFor();
    if (width === 390) {
      // Two lines: what and when, then what went in and how it went.
      const lines = async () => (await cellsOf(page, "known"))[0]?.split("\n");
      await expect
        .poll(async () => (await lines())?.filter((line) => line !== ""))
        .toEqual([
          "known",
          "OK",
          "5 d ago",
          expect.stringContaining("What is agate?"),
          "1.93 s",
          "$0.00036",
        ]);
    }
    await web.expectNoOverflow();
    await page.keyboard.press("j");
    await web.expectAccessible();
    await page.getByRole("button", { name: "Add filter" }).click();
    await page.getByRole("option", { name: "Kind" }).click();
    await web.expectAccessible();
    await page.keyboard.press("Escape");
    await page.getByRole("combobox").waitFor({ state: "detached" });
  }
  web.expectNoFaults();
});
