import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { startServer } from "../../running-server.ts";
import { sendOtlp } from "../../send-otlp.ts";
import { withPlatform } from "../with-platform.ts";
import { cellsOf, FIVE_DAYS_AGO, KNOWN_TRACES, names } from "./known-traces.ts";
import { sendTraces } from "./sent-trace.ts";

const { newPage, open, platform, registry } = withPlatform(startServer);
beforeAll(async () => {
  await sendTraces(platform().url, KNOWN_TRACES);
});

const queryOf = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams);

describe("the columns", () => {
  it("show known values, exact ones in their titles, a dash for unknown ones, and can be chosen", async () => {
    await using web = await open("/traces?application=columns");
    const { page } = web;
    const cell = (row: string, column: string) => cellOf(page, row, column);
    await page.getByRole("link", { name: "known", exact: true }).waitFor();
    expect(await page.getByRole("columnheader").allInnerTexts()).toEqual([
      "",
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

describe("a trace that was searched for", () => {
  it("shows the first span with the words, until another is chosen", async () => {
    const traceId = "5ea7c4".padEnd(32, "0");
    const start = Date.now() - 5_000;
    const step = (n: number, name: string, inputs: string) => ({
      traceId,
      spanId: `5ea7c4${n}`.padEnd(16, "0"),
      ...(n > 0 && { parentSpanId: "5ea7c40".padEnd(16, "0") }),
      name,
      start: start + n,
      end: start + 100,
      attributes: { "ag.application": "hits", "ag.content.inputs": JSON.stringify(inputs) },
    });
    await sendOtlp(platform().url, [
      step(0, "support", "Help, please."),
      step(1, "lookup", "A concatenated list, without the animal."),
      step(2, "answer", "Crème for the cat."),
      step(3, "check", "The cat had its crème."),
    ]);
    await using web = await newPage();
    const { page } = web;
    await expect
      .poll(async () => {
        const url = `${platform().url}/observability/traces/?application=hits&q=cat`;
        return ((await (await fetch(url)).json()) as { items: readonly unknown[] }).items.length;
      })
      .toBe(1);
    const shown = (name: string) => page.getByRole("heading", { name, exact: true }).waitFor();

    await web.open(`/traces?application=hits&q=${encodeURIComponent("creme cat")}`);
    await page.getByRole("link", { name: "support", exact: true }).click();
    await shown("answer");
    expect(queryOf(page)).toEqual({ q: "creme cat" });
    const search = page.getByRole("searchbox", { name: "Search in trace" });
    expect(await search.inputValue()).toBe("creme cat");
    await page.getByText("1 of 2").waitFor();
    await web.expectAccessible();

    // What is chosen afterwards is what a reload, and a link, show.
    await search.press("Enter");
    await shown("check");
    await page.reload();
    await shown("check");
    await page.getByText("2 of 2").waitFor();
    await page.goBack();
    await page.getByText("End of list · 1 trace").waitFor();

    await web.open("/traces?application=hits&view=spans&q=cat");
    await page.getByRole("link", { name: "check", exact: true }).click();
    await shown("check");
    await page.getByText("3 of 3").waitFor();
    web.expectNoFaults();
  });

  it("shows its top where no span is found, and on a phone when the span is closed", async () => {
    const traceId = "5ea7c5".padEnd(32, "0");
    const start = Date.now() - 5_000;
    const span = { traceId, start, end: start + 100 };
    const [top, below] = ["5ea7c50", "5ea7c51"].map((id) => id.padEnd(16, "0"));
    await sendOtlp(platform().url, [
      { ...span, spanId: top!, name: "support" },
      { ...span, spanId: below!, parentSpanId: top!, name: "lookup" },
    ]);
    await using web = await newPage({ width: 390 });
    const { page } = web;
    const close = page.getByRole("button", { name: "Close span" });
    await web.open(`/traces/${traceId}?q=nowhere`);
    await page.getByText("No matches").waitFor();
    expect(await close.isVisible()).toBe(false);
    await web.open(`/traces/${traceId}?q=lookup`);
    await close.click();
    await close.waitFor({ state: "hidden" });
    expect(queryOf(page)).toEqual({});
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

describe("a list of long content", () => {
  it("is requested once, and shows previews; the trace shows the whole", async () => {
    const system = { role: "system", content: "Be brief. ".repeat(24_000) };
    const user = { role: "user", content: `What is agate? ${"\u{1F48E}".repeat(400)}` };
    await sendTraces(platform().url, [
      {
        name: "long",
        application: "previews",
        attributes: {
          "ag.span.kind": "LLM",
          "ag.content.inputs": JSON.stringify({ messages: [system, user] }),
          "ag.content.outputs": JSON.stringify(`A banded stone. ${"x".repeat(400)} The end.`),
        },
      },
    ]);
    for (const path of [
      "/traces?application=previews",
      "/traces?application=previews&view=spans",
    ]) {
      await using web = await newPage({ own: {} });
      const { page } = web;
      await page.clock.install();
      const lists: string[] = [];
      let bytes = 0;
      page.on("response", async (response) => {
        if (!/\/observability\/(traces|spans)\/\?/.test(response.url())) return;
        lists.push(response.url());
        bytes += (await response.body()).length;
      });
      await Promise.all([page.waitForResponse(/\/observability\/live\//), web.open(path)]);
      await page.getByText(/End of list/).waitFor();
      for (let turn = 0; turn < 5; turn++) {
        await page.clock.runFor(3_000);
        // Lets requests that the timers have sent go out and come back.
        await page.evaluate(() => fetch("/health").then((answer) => answer.text()));
      }
      expect(lists).toHaveLength(1);
      expect(bytes).toBeLessThan(4_096);
      const preview = (await cellsOf(page, "long")).at(-1) ?? "";
      expect(preview).toMatch(/^What is agate\? \u{1F48E}+…→A banded stone\. x+…$/u);
      await page.getByRole("link", { name: "long", exact: true }).click();
      await page.getByText("The end.").waitFor();
      web.expectNoFaults();
    }
  });
});
