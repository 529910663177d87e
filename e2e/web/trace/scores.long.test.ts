import type { Score, SpanRecord } from "@agate/protocol";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { startServer } from "../../running-server.ts";
import { sendOtlp } from "../../send-otlp.ts";
import { sendTraces } from "../traces/sent-trace.ts";
import { withPlatform } from "../with-platform.ts";
import { agentTrace, spanId } from "./sample-traces.ts";

const agent = agentTrace(Date.now() - 3_600_000);
const top = spanId(agent.traceId, 0);
const { newPage, open, platform } = withPlatform(startServer);
beforeAll(async () => {
  await sendOtlp(platform().url, agent.spans);
  const score = { trace_id: agent.traceId, span_id: spanId(agent.traceId, 1) };
  await postScores([
    {
      ...score,
      name: "helpful",
      value: 2 / 3,
      explanation: "Plans the trip,\nbut names no hotel.",
      source: { kind: "model", evaluator: "judge", version: "2" },
      metadata: { model: "gpt-5" },
      created_at: "2026-11-15T10:00:00Z",
    },
    {
      ...score,
      name: "grounded",
      status: "failed",
      error: "The judge did not answer.",
      source: { kind: "model", evaluator: "judge", version: "2" },
      created_at: "2026-11-15T10:00:01Z",
    },
    {
      ...score,
      name: "cites-sources",
      status: "skipped",
      error: "No sources were given.",
      created_at: "2026-11-15T10:00:02Z",
    },
  ]);
});

async function postScores(scores: readonly object[]): Promise<void> {
  const response = await fetch(`${platform().url}/observability/scores/`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ scores }),
  });
  expect(response.status, await response.text()).toBeLessThan(300);
}

/** The scores of the top span, as the platform has them. */
async function topScores(): Promise<readonly Score[]> {
  const response = await fetch(`${platform().url}/observability/traces/${agent.traceId}/`);
  return ((await response.json()) as SpanRecord).metadata.scores ?? [];
}

const pressed = (page: Page, name: string) =>
  page.getByRole("button", { name, exact: true }).getAttribute("aria-pressed");

describe("the scores of a span", () => {
  it("are shown with source and reason, failed and skipped ones without a value", async () => {
    await using web = await open(`/traces/${agent.traceId}?span=${spanId(agent.traceId, 1)}`);
    const { page } = web;
    const row = page.getByRole("row", { name: /chat gpt-5-mini/ }).first();
    await row.getByRole("img", { name: "3 scores" }).waitFor();
    await page.getByRole("tab", { name: "Scores 3" }).click();
    const scores = page.getByRole("list", { name: "Scores" }).locator(":scope > li");
    await scores.first().waitFor();
    const [helpful, grounded, cites] = await scores.allInnerTexts();
    expect(helpful).toMatch(/^helpful\s+0\.667.*Model · judge@2.*names no hotel\./s);
    expect(grounded).toMatch(/^grounded\s+Failed.*Model · judge@2\s+The judge did not answer\.$/s);
    expect(cites).toMatch(/^cites-sources\s+Skipped.*Code\s+No sources were given\.$/s);
    await web.expectAccessible();
    await web.look({ theme: "dark" });
    await web.expectAccessible();
    await web.look({ width: 390 });
    await web.expectNoOverflow();
    await web.expectAccessible();
    // Another span has none.
    await web.look({ width: 1280 });
    await page.getByRole("row", { name: /weather again/ }).click();
    await page.getByText("No scores yet.").waitFor();
    web.expectNoFaults();
  });

  it("include the user's thumb with a comment, which the other thumb replaces", async () => {
    await using web = await open(`/traces/${agent.traceId}`);
    const { page } = web;
    await page.getByRole("button", { name: "Thumbs up" }).focus();
    await page.keyboard.press("Enter");
    await expect.poll(() => pressed(page, "Thumbs up")).toBe("true");
    await page.getByRole("tab", { name: "Scores 1" }).click();
    await page.getByRole("textbox", { name: "Comment (optional)" }).fill("  Exactly right. ");
    await page.getByRole("button", { name: "Save comment" }).click();
    await page.getByRole("listitem").getByText("Exactly right.").waitFor();
    await page.getByRole("button", { name: "Thumbs down" }).click();
    await expect.poll(() => pressed(page, "Thumbs down")).toBe("true");
    expect(await pressed(page, "Thumbs up")).toBe("false");
    await expect.poll(topScores).toMatchObject([
      {
        span_id: top,
        name: "thumbs",
        value: 0,
        label: "down",
        explanation: "Exactly right.",
        source: { kind: "human", person: "local" },
      },
    ]);
    await page.getByRole("tab", { name: "Scores 1" }).waitFor();
    await page
      .getByRole("row", { name: /plan a trip/ })
      .getByRole("img", { name: "1 score" })
      .waitFor();
    await page.reload();
    await expect.poll(() => pressed(page, "Thumbs down")).toBe("true");
    web.expectNoFaults();
  });

  it("are as before where the platform does not store the thumb", async () => {
    await using web = await open(`/traces/${agent.traceId}?span=${spanId(agent.traceId, 3)}`);
    const { page } = web;
    const answer = Promise.withResolvers<void>();
    await page.route("**/observability/scores/", async (route) => {
      await answer.promise;
      const detail = [{ type: "score_limit", loc: ["body"], msg: "The trace has 1000 scores." }];
      await route.fulfill({ status: 409, json: { detail } });
    });
    await page.getByRole("button", { name: "Thumbs up" }).click();
    // Shown before the platform has answered.
    await expect.poll(() => pressed(page, "Thumbs up")).toBe("true");
    answer.resolve();
    await page.getByText("Rating not saved: The trace has 1000 scores.").waitFor();
    expect(await pressed(page, "Thumbs up")).toBe("false");
    await page.unroute("**/observability/scores/");
    web.expectNoFaults();
  });
});

describe("scores in the list", () => {
  it("have a column, arrive live, and are filtered by", async () => {
    const [good, bad] = await sendTraces(platform().url, [
      { name: "good", application: "scored", start: Date.now() - 2 },
      { name: "bad", application: "scored", start: Date.now() - 1 },
      { name: "unjudged", application: "scored" },
    ]);
    await using web = await newPage();
    const { page } = web;
    await web.open("/traces?application=scored&live=on");
    await page.getByRole("link", { name: "unjudged" }).waitFor();
    await page.getByRole("button", { name: "Columns" }).click();
    await page.getByRole("checkbox", { name: "Scores" }).check();
    await page.keyboard.press("Escape");
    await page.mouse.move(5, 5);
    const rowOf = (name: string) =>
      page.getByRole("row").filter({ has: page.getByRole("link", { name, exact: true }) });
    await postScores([
      { trace_id: good?.traceId, name: "helpful", value: 0.9 },
      { trace_id: bad?.traceId, name: "helpful", value: 0.2 },
      { trace_id: bad?.traceId, name: "grounded", status: "failed", error: "No answer" },
    ]);
    await rowOf("good").getByText("helpful 0.9").waitFor();
    await rowOf("bad").getByText("grounded failed").waitFor();
    await web.expectAccessible();
    await web.look({ theme: "dark" });
    await web.expectAccessible();

    const names = () => page.getByRole("grid").getByRole("row").getByRole("link").allInnerTexts();
    await page.getByRole("button", { name: "Add filter" }).click();
    await page.getByRole("option", { name: "Score" }).click();
    await page.getByRole("combobox", { name: "Score" }).fill("helpful<0.5");
    // As typed, or as suggested once the names of the scores are there.
    await page.getByRole("option", { name: /helpful < 0\.5$/ }).click();
    await expect.poll(names).toEqual(["bad"]);
    expect(new URL(page.url()).searchParams.get("score")).toBe("helpful<0.5");
    await web.open("/traces?application=scored&score=helpful:none");
    await page.getByRole("button", { name: "Edit filter: Score helpful: none" }).waitFor();
    await expect.poll(names).toEqual(["unjudged"]);
    await web.open("/traces?application=scored&score=helpful");
    await page.getByRole("button", { name: /^Edit filter: Score helpful\. Must be/ }).waitFor();

    // A thumb is in the list on the way back.
    await web.open("/traces?application=scored");
    await page.getByRole("link", { name: "unjudged" }).click();
    await page.getByRole("button", { name: "Thumbs up" }).click();
    await expect.poll(() => pressed(page, "Thumbs up")).toBe("true");
    await page.goBack();
    await rowOf("unjudged").getByText("thumbs up").waitFor();
    web.expectNoFaults();
  });
});
