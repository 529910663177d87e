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

describe("A link to the playground", () => {
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

  it("leaves the address to the page that is opened while the playground still loads", async () => {
    const traceId = await platform().call("/", { inputs: { question: "What is agate?" } });
    await using web = await newPage({ own: {} });
    const { page } = web;
    const [schema, script] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const asked = page.waitForRequest("**/registry/applications/quickstart/schema*");
    await page.route("**/registry/applications/quickstart/schema*", async (route) => {
      await schema.promise;
      await route.continue();
    });
    await web.open("/apps/quickstart/playground?route=/summarize");
    await asked;
    await page.route("**/assets/*.js", async (route) => {
      await script.promise;
      await route.continue();
    });
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: /^Page, application/ }).fill(traceId);
    await page.keyboard.press("Enter");
    await page.waitForURL(new RegExp(`/traces/${traceId}`));
    const answered = page.waitForResponse("**/registry/applications/quickstart/schema*");
    schema.resolve();
    await (await answered).finished();
    // As long as the playground would need to load a workspace.
    for (let n = 0; n < 20; n++) {
      await page.evaluate(() => fetch("/health").then((answer) => answer.text()));
    }
    script.resolve();
    await page.getByRole("treegrid").waitFor();
    expect(page.url()).toContain(`/traces/${traceId}`);
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
});
