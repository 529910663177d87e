import { execFileSync } from "node:child_process";
import type { SpanRecord } from "@agate/protocol";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { type Attributes, sendOtlp } from "../../send-otlp.ts";
import { startQuickstart } from "../quickstart-platform.ts";
import { withPlatform } from "../with-platform.ts";
import { agentTrace, newTraceId, spanId } from "./sample-traces.ts";

const agent = agentTrace(Date.now() - 3_600_000);
const { open, platform, registry } = withPlatform(startQuickstart);
beforeAll(async () => {
  await registry("POST", "/applications", { slug: "travel" });
  await sendOtlp(platform().url, agent.spans);
});

function openSpan(n: number) {
  return open(`/traces/${agent.traceId}?span=${spanId(agent.traceId, n)}`);
}

/** A trace of one span with these attributes, opened. */
async function openSingle(name: string, attributes: Attributes) {
  const traceId = newTraceId();
  const start = Date.now() - 3_600_000;
  await sendOtlp(platform().url, [
    { traceId, spanId: spanId(traceId, 0), name, start, end: start + 5, attributes },
  ]);
  return open(`/traces/${traceId}`);
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
    await page.emulateMedia({ colorScheme: "dark" });
    await web.expectAccessible();
    const raw = page.getByRole("region", { name: "Outputs" });
    await raw.getByRole("button", { name: "Show as JSON" }).click();
    await raw.getByText("reasoning", { exact: true }).waitFor();
    web.expectNoFaults();
  });

  it("shows JSON as a tree that folds, with the line breaks of its texts", async () => {
    const nested = { a: { b: { c: { d: "deep\nand deeper" } } }, list: [1, null, true] };
    const json = `{"__proto__":{"x":1},${JSON.stringify(nested).slice(1)}`;
    await using web = await openSingle("json", { "ag.content.inputs": json });
    const { page } = web;
    const tree = page.getByRole("list", { name: "Inputs" });
    await tree.getByText("__proto__").waitFor();
    expect(await tree.getByText("deep").count()).toBe(0);
    await page.getByRole("button", { name: "Expand all" }).click();
    const text = tree.getByText("deep\nand deeper");
    expect(await text.evaluate((element) => getComputedStyle(element).whiteSpace)).toContain(
      "pre-wrap",
    );
    await tree.getByRole("button", { name: /^a/ }).click();
    await text.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Copy Inputs" }).click();
    await expect.poll(async () => JSON.parse(await copied(page))).toEqual(JSON.parse(json));
    await web.expectAccessible();
    web.expectNoFaults();
  });

  it.each([
    ["wide", 1280],
    ["narrow", 390],
  ])("shows the value of a long key below it, %s", async (_, width) => {
    const key = "customer_billing_address_postal_code_of_the_previous_invoice";
    expect(key).toHaveLength(60);
    const text = "Bundesgasse 3, behind the parliament, second floor on the left";
    const inputs = JSON.stringify({ [key]: text, short: text, [`${key}_number`]: 3003 });
    await using web = await openSingle("a long key", { "ag.content.inputs": inputs });
    const { page } = web;
    await page.setViewportSize({ width, height: 800 });
    const row = page.getByRole("row", { name: /a long key/ });
    if (width < 640) await row.click();
    const tree = page.getByRole("list", { name: "Inputs" });
    const values = tree.getByText(text, { exact: true });
    await values.first().waitFor();
    for (const value of await values.all()) {
      expect((await value.boundingBox())!.width).toBeGreaterThan(100);
    }
    const shortKey = await tree.getByText("short", { exact: true }).boundingBox();
    const [long, beside] = await Promise.all(
      [values.nth(0), values.nth(1)].map((each) => each.boundingBox()),
    );
    const longKey = (await tree.getByText(key, { exact: true }).boundingBox())!;
    expect(long!.y).toBeGreaterThanOrEqual(longKey.y + longKey.height - 2);
    // A short key has its value beside it.
    expect(Math.abs(beside!.y - shortKey!.y)).toBeLessThan(5);
    await web.expectNoOverflow();
    web.expectNoFaults();
  });

  it.each([
    [100, 0, null],
    [101, 1, "Show 1 earlier (of 101)"],
    [234, 134, "Show 100 earlier (of 234)"],
  ])(
    "shows the last of %d messages, and %d earlier ones on demand",
    async (count, first, label) => {
      const messages = Array.from({ length: count }, (_, n) => ({
        role: n % 2 === 0 ? "user" : "assistant",
        content: `Message ${n}.`,
      }));
      await using web = await openSingle("a long conversation", {
        "ag.content.inputs": JSON.stringify({ messages }),
      });
      const { page } = web;
      const shown = page.getByRole("list", { name: "Inputs: messages" }).getByRole("listitem");
      await shown.getByText(`Message ${count - 1}.`, { exact: true }).waitFor();
      expect(await shown.count()).toBe(Math.min(count, 100));
      expect(await shown.first().textContent()).toContain(`Message ${first}.`);
      const more = page.getByRole("button", { name: /^Show \d+ earlier/ });
      expect(await more.count()).toBe(label === null ? 0 : 1);
      if (label !== null) {
        expect(await more.textContent()).toBe(label);
        while ((await more.count()) > 0) await more.click();
        expect(await shown.count()).toBe(count);
        expect(await shown.first().textContent()).toContain("Message 0.");
      }
      web.expectNoFaults();
    },
  );

  it("aligns a text by its own script", async () => {
    const messages = [
      { role: "user", content: "מה זה אגט?" },
      { role: "assistant", content: "Agate is a stone." },
    ];
    await using web = await openSingle("two scripts", {
      "ag.content.inputs": JSON.stringify({ messages }),
      "ag.content.outputs": JSON.stringify({ answer: "אגט הוא אבן." }),
    });
    const { page } = web;
    const directionOf = async (text: string) =>
      page
        .getByText(text)
        .first()
        .evaluate((element) => getComputedStyle(element).direction);
    await page.getByText("Agate is a stone.").first().waitFor();
    const detail = page.getByRole("region", { name: "Span" });
    expect(await directionOf("מה זה אגט?")).toBe("rtl");
    expect(await directionOf("Agate is a stone.")).toBe("ltr");
    const answer = detail.getByText("אגט הוא אבן.");
    expect(await answer.evaluate((element) => getComputedStyle(element).direction)).toBe("rtl");
    await web.expectAccessible();
    web.expectNoFaults();
  });

  it("folds a long text, and shows a megabyte of it when asked to", async () => {
    const line = "The quick brown fox jumps over the lazy dog.\n";
    const long = `${line.repeat(23_000)}the very end`;
    await using web = await openSingle("long", { "ag.content.inputs": JSON.stringify(long) });
    const { page } = web;
    const region = page.getByRole("region", { name: "Inputs" });
    const more = region.getByRole("button", {
      name: `Show all ${long.length.toLocaleString("en")} characters`,
    });
    await more.waitFor();
    expect((await region.textContent())?.length).toBeLessThan(5000);
    await more.click();
    await region.getByText("the very end").waitFor();
    expect((await region.textContent())?.length).toBeGreaterThan(long.length);
    await region.getByRole("button", { name: "Show less" }).click();
    await more.waitFor();
    web.expectNoFaults();
  });

  it("shows a message where nothing is recorded", async () => {
    await using web = await openSingle("bare", {});
    await web.page.getByText("No inputs or outputs recorded.").waitFor();
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
    expect(await panel.evaluate((element) => element.scrollTop)).toBe(0);
    web.expectNoFaults();
  });

  it("are in a pane that is resized by keys, and keeps its width", async () => {
    await using web = await openSpan(0);
    const { page } = web;
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

  it("links to no playground or variant of an unregistered application", async () => {
    await using web = await openSingle("exported elsewhere", {
      "ag.application": "elsewhere",
      "ag.route": "/answer",
      "ag.variant.name": "careful",
      "ag.variant.revision": 3,
    });
    const { page } = web;
    const registry = page.waitForResponse((response) =>
      response.url().endsWith("/registry/applications"),
    );
    await page.reload();
    await (await registry).finished();
    await page.getByText("careful@3").waitFor();
    expect(await page.getByRole("link", { name: "Open in playground" }).count()).toBe(0);
    expect(await page.getByRole("link", { name: "careful@3" }).count()).toBe(0);
    // What is left is one command, without a menu.
    await page.getByRole("button", { name: "Copy curl" }).click();
    await expect.poll(() => copied(page)).toContain("/observability/spans/");
    web.expectNoFaults();
  });
});
