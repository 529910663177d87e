import type { SpanRecord } from "@agate/protocol";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { traceOf } from "../../dev/call.ts";
import { startQuickstart } from "../quickstart-platform.ts";
import { withPlatform } from "../with-platform.ts";

const TEXT = "Agate is a stone with bands. It grows in lava. It is sold in shops.";

const { newPage, open, platform } = withPlatform(startQuickstart);

const runButton = (page: Page) => page.getByRole("button", { name: /^Run( all \d+)?$/ });
const columns = (page: Page) => page.getByRole("region", { name: /^Configuration/ });
const theCase = (page: Page, name: string) => page.getByRole("region", { name, exact: true });
const done = (page: Page, count = 1) =>
  expect.poll(() => page.getByText("Done", { exact: true }).count()).toBe(count);

/** The link to everything that is set up, what was typed just now as well. */
async function copiedLink(page: Page): Promise<string> {
  await page.getByRole("button", { name: "Copy link" }).click();
  await page.getByText("Link copied").waitFor();
  return page.evaluate(() => navigator.clipboard.readText());
}

describe("The playground", () => {
  it("leads to the only application, whose routes stand beside it", async () => {
    await using web = await open("/playground");
    const { page } = web;
    // It begins with the one at the application's own address, wherever that is declared.
    await page.getByRole("heading", { level: 1, name: "/", exact: true }).waitFor();
    const routes = page.getByRole("navigation", { name: "Routes" });
    expect(await routes.getByRole("link").first().textContent()).toBe("/");
    await routes.getByRole("link", { name: "/summarize" }).click();
    await page.getByRole("heading", { level: 1, name: "/summarize" }).waitFor();
    const current = routes.getByRole("link", { name: "/summarize" });
    await expect.poll(() => current.getAttribute("aria-current")).toBe("page");
    await routes.getByRole("button", { name: "Hide routes" }).click();
    await page.getByRole("button", { name: "Show routes" }).click();
    await routes.getByRole("link", { name: "/retrieve" }).click();
    await page.getByRole("heading", { level: 1, name: "/retrieve" }).waitFor();
    // The next time one begins where one was.
    await web.open("/playground");
    await page.getByRole("heading", { level: 1, name: "/retrieve" }).waitFor();
    web.expectNoFaults();
  });

  it("says how to get an application where there is none", async () => {
    await using web = await newPage();
    await web.page.route("**/registry/applications", (route) =>
      route.fulfill({ json: { items: [] } }),
    );
    await web.open("/playground");
    await web.page.getByText("agate dev app.ts", { exact: true }).waitFor();
    await web.page.getByText("agate deploy app.ts", { exact: true }).waitFor();
    await web.expectAccessible();
  });

  it("asks once for an application that is not there, and not again and again", async () => {
    await using web = await newPage({ own: {} });
    const { page } = web;
    await page.clock.install();
    const asked: string[] = [];
    page.on("request", (request) => {
      const { pathname } = new URL(request.url());
      if (pathname.startsWith("/registry/applications/nowhere")) asked.push(pathname);
    });
    await web.open("/apps/nowhere/playground");
    await page.getByRole("heading", { name: "No application “nowhere”" }).waitFor();
    await expect.poll(() => asked).toContain("/registry/applications/nowhere/changes");
    for (let minute = 1; minute <= 3; minute++) {
      await page.clock.runFor(60_000);
      // Lets requests that the timers have sent go out and come back.
      await page.evaluate(() => fetch("/health").then((answer) => answer.text()));
    }
    const streams = asked.filter((path) => path.endsWith("/changes"));
    expect(streams).toHaveLength(1);
    // Once when the page opened, and once when the stream had said that it is gone.
    const schemas = asked.filter((path) => path.endsWith("/schema"));
    expect(schemas.length).toBeLessThanOrEqual(2);
    web.expectNoFaults();
  });

  it("streams a route's answer, with its latency, its tokens and its trace", async () => {
    await using web = await open("/apps/quickstart/playground?route=/summarize");
    const { page } = web;
    const input = theCase(page, "Case 1");
    await input.getByRole("textbox", { name: "text" }).fill(TEXT);
    await page.keyboard.press("Control+Enter");
    await done(page);
    const output = input.getByRole("region", { name: "Output of Case 1" });
    await expect.poll(() => output.textContent()).toContain("Agate is a stone with bands.");
    await expect.poll(() => input.textContent()).toMatch(/\d (?:ms|s)/);
    await expect.poll(() => input.textContent()).toMatch(/\d+ tokens/);
    const trace = input.getByRole("region", { name: "Trace of Case 1" });
    await trace.getByText("invoke_workflow summarize").waitFor();
    await trace.getByText("chat", { exact: true }).click();
    await web.expectAccessible();
    await trace.getByRole("link", { name: "Open trace" }).click();
    await page.waitForURL(/\/traces\/[0-9a-f]{32}/);
    web.expectNoFaults();
  });

  it("begins a draft with the first edit, counts what is changed, and puts it back", async () => {
    await using web = await open("/apps/quickstart/playground?route=/&configs=concise@1");
    const { page } = web;
    const column = columns(page);
    await expect
      .poll(() => column.getByRole("spinbutton", { name: "sentences" }).inputValue())
      .toBe("2");
    await column.getByText("live in production").waitFor();
    const top = () => column.getByLabel("tone").evaluate((it) => it.getBoundingClientRect().top);
    const before = await top();
    await column.getByLabel("tone").selectOption("formal");
    await column.getByText("Draft of concise@1", { exact: true }).waitFor();
    // What one edits stays where it is.
    expect(await top()).toBe(before);
    await column.getByRole("checkbox", { name: "bullets" }).check();
    await column.getByText("2 changed").waitFor();
    const deploy = column.getByRole("button", { name: "Deploy…" });
    expect(await deploy.isDisabled()).toBe(true);
    await deploy.focus();
    await column.getByText("Commit the draft first.").filter({ visible: true }).waitFor();
    await column.getByRole("button", { name: "Revert", exact: true }).click();
    await expect.poll(() => column.getByText("Draft of").count()).toBe(0);
    expect(await column.getByLabel("tone").inputValue()).toBe("plain");
    web.expectNoFaults();
  });

  it("refuses to run what the server would refuse, and leads to it", async () => {
    await using web = await open("/apps/quickstart/playground?route=/&configs=concise@1");
    const { page } = web;
    const calls: string[] = [];
    page.on("request", (request) => {
      if (request.url().includes("/playground/run")) calls.push(request.url());
    });
    const sentences = columns(page).getByRole("spinbutton", { name: "sentences" });
    await sentences.fill("99");
    await page.getByText(/at most 10, not 99/).waitFor();
    await runButton(page).click();
    await expect.poll(() => sentences.evaluate((box) => box === document.activeElement)).toBe(true);
    await sentences.fill("4");
    expect(calls).toEqual([]);
    // What only the workflow knows lands at its field when it has said so.
    await runButton(page).click();
    const question = theCase(page, "Case 1").getByRole("textbox", { name: "question" });
    await theCase(page, "Case 1").getByText("Ask something.").waitFor();
    expect(await question.getAttribute("aria-invalid")).toBe("true");
    await question.fill("What is agate?");
    await runButton(page).click();
    await done(page);
    expect(calls).toHaveLength(2);
    web.expectNoFaults();
  });

  it("keeps test cases, and runs one or all", async () => {
    await using web = await open("/apps/quickstart/playground?route=/retrieve");
    const { page } = web;
    const question = (name: string) =>
      theCase(page, name).getByRole("textbox", { name: "question" });
    await question("Case 1").fill("What is agate?");
    await theCase(page, "Case 1").getByRole("button", { name: "More actions for Case 1" }).click();
    await page.getByRole("menuitem", { name: "Duplicate" }).click();
    await expect.poll(() => question("Case 2").inputValue()).toBe("What is agate?");
    await page.getByRole("button", { name: "Add test case" }).click();
    await question("Case 3").fill("Where does it grow?");
    await theCase(page, "Case 3").getByRole("button", { name: "Run Case 3" }).click();
    await done(page, 1);
    await page.getByRole("button", { name: "Run all 3" }).click();
    await done(page, 3);
    await theCase(page, "Case 2").getByRole("button", { name: "More actions for Case 2" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    const next = theCase(page, "Case 3").getByRole("button", { name: /^Collapse inputs/ });
    await expect
      .poll(() => next.evaluate((button) => button === document.activeElement))
      .toBe(true);
    await theCase(page, "Case 3").getByRole("button", { name: "More actions for Case 3" }).click();
    await page.getByRole("menuitem", { name: "Rename" }).click();
    const name = page.getByRole("textbox", { name: "New name of Case 3" });
    await name.waitFor();
    await page.keyboard.type("Origins");
    await page.keyboard.press("Enter");
    await theCase(page, "Origins").waitFor();
    // Whoever works with keys goes on from there.
    const more = page.getByRole("button", { name: "More actions for Origins" });
    await expect
      .poll(() => more.evaluate((button) => button === document.activeElement))
      .toBe(true);
    // They are there again, in whatever way one comes back.
    await web.open("/apps/quickstart/playground?route=/retrieve");
    await expect.poll(() => question("Origins").inputValue()).toBe("Where does it grow?");
    await page.getByRole("button", { name: "Reset" }).click();
    await page.getByRole("menuitem", { name: "Reset test cases" }).click();
    await expect.poll(() => question("Case 1").inputValue()).toBe("");
    await expect.poll(() => theCase(page, "Origins").count()).toBe(0);
    web.expectNoFaults();
  });

  it("compares configurations side by side, and marks what differs", async () => {
    await using web = await open("/apps/quickstart/playground?route=/&configs=concise@1");
    const { page } = web;
    await theCase(page, "Case 1").getByRole("textbox", { name: "question" }).fill("What is agate?");
    await page.getByRole("button", { name: "Compare" }).click();
    await page.getByRole("menuitem", { name: "thorough@1 (latest)" }).click();
    await page.getByRole("button", { name: "Compare" }).click();
    await page.getByRole("menuitem", { name: "staging: thorough@1" }).click();
    await page.getByRole("button", { name: "Compare" }).click();
    await page.getByRole("menuitem", { name: "Copy of the last column" }).click();
    await expect.poll(() => columns(page).count()).toBe(4);
    await expect
      .poll(() => new URL(page.url()).searchParams.get("configs"))
      .toBe("concise@1,thorough@1,env:staging,env:staging");
    const second = columns(page).nth(1).getByRole("definition");
    await expect
      .poll(() => second.allTextContents())
      .toContainEqual(expect.stringMatching(/"formal".*differs from the first column/));
    await columns(page).nth(3).getByRole("button", { name: "All fields" }).click();
    await columns(page).nth(3).getByLabel("tone").selectOption("playful");
    await expect
      .poll(() => columns(page).nth(3).getByText("differs", { exact: true }).count())
      .toBe(await second.count());
    await columns(page).nth(3).getByText("Draft of thorough@1", { exact: true }).waitFor();
    await runButton(page).click();
    await done(page, 4);
    await page
      .getByText(/tokens.*[+−]\d+%/)
      .first()
      .waitFor();
    const outputs = page.locator("[data-output]");
    await expect.poll(() => outputs.getByText("differs", { exact: true }).count()).toBe(3);
    await page.getByRole("button", { name: "Show differences" }).click();
    await page.getByRole("main").locator("ins, del").first().waitFor();
    await web.expectAccessible();
    await columns(page)
      .nth(2)
      .getByRole("button", { name: /^More actions for/ })
      .click();
    await page.getByRole("menuitem", { name: "Remove column" }).click();
    await expect.poll(() => columns(page).count()).toBe(3);
    await page.goBack();
    await expect.poll(() => columns(page).count()).toBe(4);
    await columns(page).nth(3).getByText("Draft of thorough@1", { exact: true }).waitFor();
    await page.goForward();
    await expect.poll(() => columns(page).count()).toBe(3);
    web.expectNoFaults();
  });

  it("shows a colleague who opens the copied link the same columns, edits and cases", async () => {
    await using web = await open(
      "/apps/quickstart/playground?route=/summarize&configs=concise@1,env:staging",
    );
    const { page } = web;
    await theCase(page, "Case 1")
      .getByRole("textbox", { name: "text" })
      .fill(`${TEXT} 😀 "quoted"`);
    await columns(page).nth(1).getByRole("button", { name: "All fields" }).click();
    await columns(page).nth(1).getByRole("textbox", { name: "prompt" }).fill("Say it in Welsh.");
    const link = await copiedLink(page);
    expect(link).toContain("configs=concise@1,env:staging");
    expect(link).not.toContain("Welsh");

    await using other = await newPage();
    const asked: string[] = [];
    other.page.on("request", (request) => asked.push(request.url()));
    await other.open(link);
    const text = theCase(other.page, "Case 1").getByRole("textbox", { name: "text" });
    await expect.poll(() => text.inputValue()).toBe(`${TEXT} 😀 "quoted"`);
    await columns(other.page).nth(1).getByText("Draft of thorough@1", { exact: true }).waitFor();
    await columns(other.page).nth(1).getByText('"Say it in Welsh."').waitFor();
    expect(asked.filter((url) => url.includes("#"))).toEqual([]);
    // And goes on with it: reloading brings back what was typed since, at that very moment too.
    await text.fill("Another text.");
    await other.page.reload();
    await expect.poll(() => text.inputValue()).toBe("Another text.");
    web.expectNoFaults();
    other.expectNoFaults();
  });

  it("keeps what a reader had set up when a link brings something else", async () => {
    await using web = await open("/apps/quickstart/playground?route=/summarize");
    const { page } = web;
    const text = theCase(page, "Case 1").getByRole("textbox", { name: "text" });
    await text.fill("Theirs.");
    const link = await copiedLink(page);
    await page.evaluate(() => localStorage.clear());
    await web.open("/apps/quickstart/playground?route=/summarize");
    await expect.poll(() => text.inputValue()).toBe("");
    await text.fill("Mine.");
    await copiedLink(page);

    await page.goto("about:blank");
    await page.goto(link);
    await page.getByText(/Yours are set aside/).waitFor();
    expect(await text.inputValue()).toBe("Theirs.");
    await web.expectAccessible();
    await text.fill("Theirs, edited.");
    await page.getByRole("button", { name: "Restore mine" }).click();
    await expect.poll(() => text.inputValue()).toBe("Mine.");
    await page.goBack();
    await expect.poll(() => text.inputValue()).toBe("Theirs, edited.");
    // However soon one goes on: what was typed last is where it was typed.
    await text.fill("Theirs, edited again.");
    await page.goForward();
    await expect.poll(() => text.inputValue()).toBe("Mine.");
    await text.fill("Mine as well.");
    await page.getByRole("link", { name: "Traces" }).click();
    await page.getByRole("heading", { level: 1, name: "Traces" }).waitFor();
    await page.goBack();
    await expect.poll(() => text.inputValue()).toBe("Mine as well.");
    await page.goBack();
    await expect.poll(() => text.inputValue()).toBe("Theirs, edited again.");
    web.expectNoFaults();
  });

  it.each(["1.abc", "0.older", "%3Cscript%3E", "section"])(
    "says that the link could not be read, and goes on: #%s",
    async (fragment) => {
      await using web = await open(
        `/apps/quickstart/playground?route=/retrieve&configs=concise@1#${fragment}`,
      );
      await web.page.getByText(/Can't read the edits and inputs of this link/).waitFor();
      expect(await columns(web.page).count()).toBe(1);
      await web.page.getByRole("button", { name: "Close" }).click();
      web.expectNoFaults();
    },
  );

  it("opens a recorded call with its own configuration and inputs", async () => {
    const traceId = await platform().call("/", {
      environment: "staging",
      inputs: { question: "How is agate cut?" },
    });
    const span: SpanRecord = await traceOf(platform().url, traceId);
    // Its route is known from the call itself.
    await using web = await open(`/apps/quickstart/playground?span=${span.id}`);
    const { page } = web;
    const question = theCase(page, "Recorded call").getByRole("textbox", { name: "question" });
    await expect.poll(() => question.inputValue()).toBe("How is agate cut?");
    await columns(page)
      .getByText(/From trace [0-9a-f]{8}, thorough@1 in staging/)
      .waitFor();
    expect(await columns(page).getByLabel("tone").inputValue()).toBe("formal");
    await page.waitForURL((url) => !url.searchParams.has("span") && url.hash !== "");
    await runButton(page).click();
    await done(page);
    web.expectNoFaults();
  });

  it("takes over what a playground call was run with, as a draft", async () => {
    const response = await fetch(`${platform().url}/services/quickstart/playground/run/summarize`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ config: { tone: "playful", sentences: 7 }, inputs: { text: TEXT } }),
    });
    const { trace_id, span_id } = (await response.json()) as { trace_id: string; span_id: string };
    await traceOf(platform().url, trace_id);
    await using web = await open(`/apps/quickstart/playground?route=/summarize&span=${span_id}`);
    const { page } = web;
    await columns(page).getByText("Draft of the schema defaults", { exact: true }).waitFor();
    await columns(page).getByText("2 changed").waitFor();
    expect(await columns(page).getByRole("spinbutton", { name: "sentences" }).inputValue()).toBe(
      "7",
    );
    web.expectNoFaults();
  });

  it("leaves the variant and revision in the trace, or what was edited", async () => {
    await using web = await open("/apps/quickstart/playground?route=/&configs=default@1");
    const { page } = web;
    await theCase(page, "Case 1").getByRole("textbox", { name: "question" }).fill("What is agate?");
    const ranWith = async (text: string) => {
      await runButton(page).click();
      await done(page);
      await theCase(page, "Case 1").getByRole("link", { name: "Open trace" }).click();
      await page.getByRole("main").getByRole("link", { name: text, exact: true }).waitFor();
      const traceId = new URL(page.url()).pathname.split("/").at(-1)!;
      await page.goBack();
      return traceOf(platform().url, traceId);
    };
    const asCommitted: SpanRecord = await ranWith("default@1");
    expect(asCommitted.variant).toMatchObject({ variant_name: "default", revision: 1 });
    await columns(page).getByLabel("tone").selectOption("formal");
    await page.getByText("edited since").waitFor();
    const edited: SpanRecord = await ranWith("edited from default@1");
    expect(edited.variant).toMatchObject({ variant_name: null, revision: null });
    expect(edited.metadata.attributes["ag.variant.edited_from"]).toBe("default@1");

    // Opened again, it is a draft of the same revision.
    await web.open(`/apps/quickstart/playground?span=${edited.id}`);
    await columns(page)
      .getByText(/From trace [0-9a-f]{8}, edited from default@1/)
      .waitFor();
    await page.waitForURL((url) => !url.searchParams.has("span") && url.hash !== "");
    expect(new URL(page.url()).searchParams.get("configs")).toBe("default@1");
    web.expectNoFaults();
  });

  it("says that a recorded call is not there, and goes on without it", async () => {
    await using web = await open("/apps/quickstart/playground?route=/&span=0123456789abcdef");
    await web.page.getByText(/Can't open the recorded call/).waitFor();
    await runButton(web.page).waitFor();
    web.expectNoFaults();
  });

  it.each([
    ["wide and light", { width: 1280, theme: "light" }],
    ["on a phone, in the dark", { width: 390, height: 844, theme: "dark" }],
  ] as const)("can be used by everybody, %s", async (_look, look) => {
    for (const configs of ["concise@1", "concise@1,thorough@1,schema:defaults"]) {
      await using web = await open(`/apps/quickstart/playground?route=/&configs=${configs}`, look);
      const { page } = web;
      const testCase = theCase(page, "Case 1");
      await testCase.getByRole("textbox", { name: "question" }).fill("What is agate?");
      await runButton(page).click();
      await done(page, configs.split(",").length);
      await web.expectAccessible();
      // Compared columns scroll inside; the page itself does not.
      await web.expectNoOverflow("html");
      web.expectNoFaults();
    }
  });
});
