import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { type Attributes, sendOtlp } from "../../send-otlp.ts";
import { startQuickstart } from "../quickstart-platform.ts";
import { withPlatform } from "../with-platform.ts";
import { newTraceId, spanId } from "./sample-traces.ts";

const { newPage, open, platform } = withPlatform(startQuickstart);

/** A trace of spans with these attributes below one root, opened; a click on its row shows a span. */
async function openSpans(contents: Readonly<Record<string, Attributes>>) {
  const traceId = newTraceId();
  const start = Date.now() - 3_600_000;
  const root = { traceId, spanId: spanId(traceId, 0), name: "root", start, end: start + 5 };
  const children = Object.entries(contents).map(([name, attributes], n) => ({
    ...root,
    spanId: spanId(traceId, n + 1),
    parentSpanId: root.spanId,
    name,
    attributes,
  }));
  await sendOtlp(platform().url, [root, ...children]);
  const web = await open(`/traces/${traceId}`);
  const choose = async (name: string) => {
    await web.page.getByRole("row", { name: new RegExp(name) }).click();
    await web.page.getByRole("heading", { level: 2, name, exact: true }).waitFor();
  };
  return { web, choose };
}

const copied = (page: Page) => page.evaluate(() => navigator.clipboard.readText());

describe("the content of a span", () => {
  it("shows JSON as a tree that folds, with the line breaks of its texts, and long keys above", async () => {
    const nested = { a: { b: { c: { d: "deep\nand deeper" } } }, list: [1, null, true] };
    const json = `{"__proto__":{"x":1},${JSON.stringify(nested).slice(1)}`;
    const key = "customer_billing_address_postal_code_of_the_previous_invoice";
    expect(key).toHaveLength(60);
    const address = "Bundesgasse 3, behind the parliament, second floor on the left";
    const inputs = JSON.stringify({ [key]: address, short: address, [`${key}_number`]: 3003 });
    const { web: opened, choose } = await openSpans({
      "a document": { "ag.content.inputs": json },
      "a long key": { "ag.content.inputs": inputs },
      bare: {},
    });
    await using web = opened;
    const { page } = web;
    await choose("bare");
    await page.getByText("No inputs or outputs recorded.").waitFor();

    await choose("a document");
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

    // The value of a long key is below it, that of a short key beside it.
    await choose("a long key");
    for (const width of [1280, 390]) {
      await web.look({ width });
      const values = tree.getByText(address, { exact: true });
      await expect.poll(() => values.count()).toBe(2);
      for (const value of await values.all()) {
        expect((await value.boundingBox())!.width).toBeGreaterThan(100);
      }
      const shortKey = await tree.getByText("short", { exact: true }).boundingBox();
      const [long, beside] = await Promise.all(
        [values.nth(0), values.nth(1)].map((each) => each.boundingBox()),
      );
      const longKey = (await tree.getByText(key, { exact: true }).boundingBox())!;
      expect(long!.y).toBeGreaterThanOrEqual(longKey.y + longKey.height - 2);
      expect(Math.abs(beside!.y - shortKey!.y)).toBeLessThan(5);
      await web.expectNoOverflow();
    }
    web.expectNoFaults();
  });

  it("shows the last 100 of many messages, earlier ones on demand, each aligned by its script", async () => {
    const conversation = (count: number) => ({
      "ag.content.inputs": JSON.stringify({
        messages: Array.from({ length: count }, (_, n) => ({
          role: n % 2 === 0 ? "user" : "assistant",
          content: `Message ${n}.`,
        })),
      }),
    });
    const messages = [
      { role: "user", content: "מה זה אגט?" },
      { role: "assistant", content: "Agate is a stone." },
    ];
    const { web: opened, choose } = await openSpans({
      "100 messages": conversation(100),
      "101 messages": conversation(101),
      "234 messages": conversation(234),
      "two scripts": {
        "ag.content.inputs": JSON.stringify({ messages }),
        "ag.content.outputs": JSON.stringify({ answer: "אגט הוא אבן." }),
      },
    });
    await using web = opened;
    const { page } = web;
    const shown = page.getByRole("list", { name: "Inputs: messages" }).getByRole("listitem");
    const more = page.getByRole("button", { name: /^Show \d+ earlier/ });
    for (const [count, labels] of [
      [100, []],
      [101, ["Show 1 earlier (of 101)"]],
      [234, ["Show 100 earlier (of 234)", "Show 34 earlier (of 234)"]],
    ] as const) {
      await choose(`${count} messages`);
      await shown.getByText(`Message ${count - 1}.`, { exact: true }).waitFor();
      for (const [n, label] of labels.entries()) {
        const first = count - 100 * (n + 1);
        expect(await shown.count()).toBe(count - first);
        expect(await shown.first().textContent()).toContain(`Message ${first}.`);
        expect(await more.textContent()).toBe(label);
        await more.click();
        await expect.poll(() => shown.count()).toBe(Math.min(count, 100 * (n + 2)));
      }
      expect(await more.count()).toBe(0);
      expect(await shown.count()).toBe(count);
      expect(await shown.first().textContent()).toContain("Message 0.");
    }

    await choose("two scripts");
    const detail = page.getByRole("region", { name: "Span" });
    const directionOf = (text: string) =>
      detail.getByText(text).evaluate((element) => getComputedStyle(element).direction);
    expect(await directionOf("מה זה אגט?")).toBe("rtl");
    expect(await directionOf("Agate is a stone.")).toBe("ltr");
    expect(await directionOf("אגט הוא אבן.")).toBe("rtl");
    await web.expectAccessible();
    web.expectNoFaults();
  });

  it("folds a long text, and shows a megabyte of it when asked to", async () => {
    const line = "The quick brown fox jumps over the lazy dog.\n";
    const long = `${line.repeat(23_000)}the very end`;
    const { web: opened, choose } = await openSpans({
      "a long text": { "ag.content.inputs": JSON.stringify(long) },
    });
    await using web = opened;
    const { page } = web;
    await choose("a long text");
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
});

describe("a recorded call of a route", () => {
  it("links to no playground or variant of an unregistered application", async () => {
    const traceId = newTraceId();
    const start = Date.now() - 3_600_000;
    const attributes = {
      "ag.application": "elsewhere",
      "ag.route": "/answer",
      "ag.variant.name": "careful",
      "ag.variant.revision": 3,
    };
    await sendOtlp(platform().url, [
      { traceId, spanId: spanId(traceId, 0), name: "exported", start, end: start + 5, attributes },
    ]);
    await using web = await newPage();
    const { page } = web;
    const registry = page.waitForResponse((response) =>
      response.url().endsWith("/registry/applications"),
    );
    await web.open(`/traces/${traceId}`);
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
