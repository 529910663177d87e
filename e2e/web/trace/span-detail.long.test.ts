import { execFileSync } from "node:child_process";
import type { SpanRecord } from "@agate/protocol";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { sendOtlp } from "../../send-otlp.ts";
import { startQuickstart } from "../quickstart-platform.ts";
import { withPlatform } from "../with-platform.ts";
import { agentTrace, spanId } from "./sample-traces.ts";

const agent = agentTrace(Date.now() - 3_600_000);
const { open, platform, registry } = withPlatform(startQuickstart);
beforeAll(async () => {
  await registry("POST", "/applications", { slug: "travel" });
  await sendOtlp(platform().url, agent.spans);
});

function openSpan(n: number) {
  return open(`/traces/${agent.traceId}?span=${spanId(agent.traceId, n)}`);
}

const copied = (page: Page) => page.evaluate(() => navigator.clipboard.readText());

/** The words that a shell makes of a command. */
function words(command: string): string[] {
  const script = `curl() { printf '%s\\0' "$@"; }\n${command}`;
  return execFileSync("sh", ["-c", script], { encoding: "utf8" }).split("\0").slice(0, -1);
}

describe("the content of a span", () => {
  it("shows messages as a conversation", async () => {
    await using web = await openSpan(1);
    const { page } = web;
    const asked = page.getByRole("list", { name: "Inputs: messages" }).getByRole("listitem");
    await asked.first().waitFor();
    expect(await asked.allTextContents()).toEqual([
      "SystemYou plan trips.",
      "UserTwo nights in Berne, please.Image · https://example.com/map.png (not loaded)",
    ]);
    const answered = page.getByRole("list", { name: "Outputs: messages" });
    await answered.getByText("Calls weather").waitFor();
    await answered.getByText("Berne").waitFor();
    await answered.getByText("finish_reason: tool_calls").waitFor();
    expect(await answered.getByText("The weather decides.").count()).toBe(0);
    await answered.getByRole("button", { name: "Reasoning" }).click();
    await answered.getByText("The weather decides.").waitFor();
    expect(await page.locator("img[src*='example.com']").count()).toBe(0);
    await web.expectAccessible();
    await web.look({ theme: "dark" });
    await web.expectAccessible();
    const raw = page.getByRole("region", { name: "Outputs" });
    await raw.getByRole("button", { name: "Show as JSON" }).click();
    await raw.getByText("reasoning", { exact: true }).waitFor();
    web.expectNoFaults();
  });
});

describe("the tabs of a span", () => {
  it("keep the selected tab from span to span, and show all that is recorded", async () => {
    await using web = await openSpan(2);
    const { page } = web;
    const choose = (tab: string | RegExp) => page.getByRole("tab", { name: tab }).click();
    const panel = page.getByRole("tabpanel");
    await page.getByRole("note").getByText("The weather service does not answer").waitFor();
    await choose(/Events/);
    await panel.getByText("TimeoutError", { exact: true }).waitFor();
    await panel.getByText("No answer within 400 ms").waitFor();
    await panel.getByText("at weather (tools.ts:12:9)").waitFor();
    await panel.getByText("+470 ms").waitFor();
    await web.expectAccessible();
    await page
      .getByRole("row", { name: /chat gpt-5-mini/ })
      .first()
      .click();
    await panel.getByText("No events recorded.").waitFor();
    await choose("Metadata");
    const metadata = (await panel.textContent()) ?? "";
    for (const part of [
      "Provideropenai",
      "Cached input tokens600",
      "Reasoning tokens30",
      "$0.0005",
    ]) {
      expect(metadata).toContain(part);
    }
    expect(metadata).toContain("gen_ai.operation.name");
    await page.getByRole("row", { name: /plan a trip/ }).click();
    await panel.getByText("Including child spans").waitFor();
    expect(await panel.textContent()).toMatch(/Own time\d+ ms \(\d+%/);
    await choose("Configuration");
    await panel.getByRole("link", { name: "careful@3" }).waitFor();
    await page
      .getByRole("row", { name: /chat gpt-5-mini/ })
      .first()
      .click();
    await panel.getByText("temperature").waitFor();
    await choose("Raw");
    await panel.getByText("parent_span_id").waitFor();
    await panel.getByText(spanId(agent.traceId, 1)).first().waitFor();
    // Another span begins at its top.
    await panel.evaluate((element) => element.scrollTo(0, 300));
    await page.getByRole("row", { name: /plan a trip/ }).click();
    await panel.getByText(spanId(agent.traceId, 0)).first().waitFor();
    await expect.poll(() => panel.evaluate((element) => element.scrollTop)).toBe(0);

    // They are in a pane that is resized by keys, and keeps its width.
    const line = page.getByRole("separator", { name: "Tree width" });
    await line.focus();
    await page.keyboard.press("ArrowRight");
    await expect.poll(() => line.getAttribute("aria-valuenow")).toBe("60");
    await page.reload();
    await line.waitFor();
    expect(await line.getAttribute("aria-valuenow")).toBe("60");
    web.expectNoFaults();
  });
});

describe("a recorded call of a route", () => {
  it("is opened in the playground, and repeated by curl, inner calls too", async () => {
    const traceId = await platform().call("/", { inputs: { question: "What's agate?" } });
    await using web = await open(`/traces/${traceId}`);
    const { page } = web;
    const link = page.getByRole("banner").or(page.getByRole("main")).getByRole("link", {
      name: "Open in playground",
    });
    await link.first().waitFor();
    const trace = (await (
      await fetch(`${platform().url}/observability/traces/${traceId}/`)
    ).json()) as SpanRecord;
    const to = `/apps/quickstart/playground?route=/&span=${trace.id}`;
    expect(await link.first().getAttribute("href")).toBe(to);

    const inner = trace.children![0]!;
    await page.getByRole("row", { name: new RegExp(inner.name) }).click();
    const detail = page.getByRole("region", { name: "Span" });
    await expect
      .poll(() => detail.getByRole("link", { name: "Open in playground" }).getAttribute("href"))
      .toBe(`/apps/quickstart/playground?route=/retrieve&span=${inner.id}`);

    await detail.getByRole("button", { name: "Copy curl" }).click();
    await page.getByRole("menuitem", { name: "Repeat this call" }).click();
    await page.getByText("Command copied.").waitFor();
    const [, url, , type, , body] = words(await copied(page));
    const again = await fetch(url!, {
      method: "POST",
      headers: { "content-type": type!.split(": ")[1]! },
      body: body!,
    });
    const repeated = (await again.json()) as { data: unknown; trace: SpanRecord };
    expect(repeated.data).toEqual(inner.content.outputs);
    expect(repeated.trace.config).toEqual(inner.config);
    expect(repeated.trace.content.inputs).toEqual(inner.content.inputs);

    await detail.getByRole("button", { name: "Copy curl" }).click();
    await page.getByRole("menuitem", { name: "Get this span" }).click();
    const read = `${platform().url}/observability/spans/${inner.id}/`;
    await expect.poll(async () => words(await copied(page))).toEqual(["-s", read]);
    expect(await (await fetch(read)).json()).toMatchObject({ id: inner.id });

    await detail.getByRole("button", { name: "Copy span id" }).click();
    await expect.poll(() => copied(page)).toBe(inner.id);
    web.expectNoFaults();
  });
});
