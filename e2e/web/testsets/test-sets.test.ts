import type { TestRow } from "@agate/protocol";
import { describe, expect, it } from "vitest";
import { startServer } from "../../running-server.ts";
import { sendTraces } from "../traces/sent-trace.ts";
import { withPlatform } from "../with-platform.ts";
import { commit, dialog } from "./commit-rows.ts";

const { open, platform, registry } = withPlatform(startServer);

async function rowsOf(set: string): Promise<readonly TestRow[]> {
  const path = `/testsets/${set}/revisions/latest/rows`;
  return (await registry<{ items: readonly TestRow[] }>("GET", path)).items;
}

describe("a test set", () => {
  it("is made of pasted rows, edited in its table, committed, and compared", async () => {
    await using web = await open("/testsets");
    const { page } = web;
    await page.getByRole("heading", { name: "No test sets yet" }).waitFor();
    await web.expectAccessible();
    await page.getByRole("button", { name: "New test set" }).click();
    await dialog(page).getByRole("textbox", { name: "Name" }).fill("golden");
    await dialog(page).getByRole("button", { name: "Create" }).click();
    await page.getByRole("heading", { level: 1, name: "golden" }).waitFor();

    await page.getByRole("button", { name: "Import" }).click();
    const text = dialog(page).getByRole("textbox", { name: "CSV or JSONL" });
    await text.fill("id;question\n1;Why?");
    await dialog(page).getByRole("alert").getByText("separated by commas").waitFor();
    await text.fill("id,inputs.question,expected\na,Why?,because\nb,How?,");
    await dialog(page).getByRole("status").getByText("2 read: 2 added").waitFor();
    await dialog(page).getByRole("button", { name: "Apply to draft" }).click();
    await page.getByText("Draft on revision 0: 2 added").waitFor();
    await commit(page, "From a file");
    await page.getByText("Revision 1 committed.").waitFor();
    expect(await rowsOf("golden")).toMatchObject([
      { id: "a", inputs: { question: "Why?" }, expected: "because" },
      { id: "b", inputs: { question: "How?" } },
    ]);

    await page.getByRole("button", { name: "Edit b" }).click();
    const tags = dialog(page).getByRole("textbox", { name: "Tags" });
    await tags.fill("hard, new");
    const expected = dialog(page).getByRole("textbox", { name: "Expected" });
    await expected.fill('{"label": ');
    await dialog(page).getByRole("button", { name: "Apply" }).click();
    await dialog(page).getByRole("alert").getByText("Line 1, column").waitFor();
    await expected.fill('{"label": "so"}');
    await dialog(page).getByRole("button", { name: "Apply" }).click();
    await page.getByRole("button", { name: "Remove a" }).click();
    await page.getByText("Draft on revision 1: 1 changed, 1 removed").waitFor();
    await web.expectAccessible();

    // Somebody else commits before, and changes the same row.
    await registry("POST", "/testsets/golden/revisions", {
      upsert: [{ id: "b", inputs: { question: "How so?" } }],
      base_revision: 1,
    });
    await commit(page, "Harder");
    await dialog(page).getByText("A newer revision exists").waitFor();
    await dialog(page).getByRole("button", { name: "Compare with the newer revision" }).click();
    await dialog(page).getByRole("list", { name: "Conflicts" }).getByText("b").waitFor();
    await web.expectAccessible();
    await dialog(page)
      .getByRole("button", { name: "Keep my rows, continue on revision 2" })
      .click();
    await dialog(page).getByRole("button", { name: "Commit", exact: true }).click();
    await page.getByText("Revision 3 committed.").waitFor();
    expect(await rowsOf("golden")).toMatchObject([
      { id: "b", inputs: { question: "How?" }, expected: { label: "so" }, tags: ["hard", "new"] },
    ]);

    await page.getByRole("tab", { name: "History" }).click();
    await page.getByText("Harder").waitFor();
    await page.getByRole("checkbox", { name: "Revision 1" }).check();
    await page.getByRole("checkbox", { name: "Revision 3" }).check();
    await page.getByRole("link", { name: "Compare 1 with 3" }).click();
    await page.getByText("1 changed, 1 removed").waitFor();
    await web.expectAccessible();
    await web.look({ width: 390, theme: "dark" });
    await web.expectNoOverflow();
    await web.expectAccessible();
    await web.look({ width: 1280, theme: "light" });
    await page.getByRole("navigation").getByRole("link", { name: "Test sets" }).click();
    await page.getByRole("listitem").getByText("1 row").waitFor();
    await page.getByText("revision 3 by local").waitFor();
    web.expectNoFaults();
  });
});

describe("recorded calls", () => {
  const call = (name: string, inputs: object, more: Record<string, boolean> = {}) => ({
    name,
    application: "calls",
    attributes: {
      "ag.route": "/answer",
      "ag.content.inputs": JSON.stringify(inputs),
      "ag.content.outputs": JSON.stringify("An answer."),
      ...more,
    },
  });

  it("are added to a test set; one that was cut off is refused", async () => {
    const [first, cut] = await sendTraces(platform().url, [
      call("whole", { question: "Why?" }),
      call("cut", { truncated: true, limit: 20, start: '{"question"' }),
    ]);
    await using web = await open(`/traces/${first?.traceId}`);
    const { page } = web;
    await page.getByRole("button", { name: "Add to test set" }).click();
    const sets = dialog(page).getByRole("combobox", { name: "Test set" });
    await sets.selectOption("New test set…");
    await dialog(page).getByRole("textbox", { name: "Name" }).fill("recorded");
    await dialog(page)
      .getByRole("checkbox", { name: /output as the expected/ })
      .check();
    await web.expectAccessible();
    await dialog(page).getByRole("button", { name: "Add", exact: true }).click();
    await page.getByText("1 row added to").waitFor();
    expect(await rowsOf("recorded")).toMatchObject([
      {
        inputs: { question: "Why?" },
        expected: "An answer.",
        source: { trace_id: first?.traceId, span_id: first?.spanId },
      },
    ]);
    await web.open(`/traces/${cut?.traceId}`);
    await page.getByRole("button", { name: "Add to test set" }).click();
    await dialog(page)
      .getByRole("list", { name: "Not added" })
      .getByText("cut: Truncated")
      .waitFor();
    expect(await dialog(page).getByRole("button", { name: "Add", exact: true }).isDisabled()).toBe(
      true,
    );

    web.expectNoFaults();
  });

  it("are selected in the list and added together, without those that cannot be", async () => {
    await registry("POST", "/testsets", { slug: "selected" });
    const names = ["one", "two", "hidden", "four", "five", "six", "seven", "eight", "nine"];
    const sent = await sendTraces(
      platform().url,
      names.map((name, n) => ({
        ...call(name, { question: name }, name === "hidden" ? { "ag.redacted": true } : {}),
        application: "selecting",
        // The first is the newest, and listed first.
        start: Date.now() - n * 1000,
      })),
    );
    await using web = await open("/traces?application=selecting");
    const { page } = web;
    const select = (name: string) => page.getByRole("checkbox", { name: `Select ${name}` });
    const bar = page.getByRole("region", { name: "Selection" });
    const checked = () => page.getByRole("grid").locator("td input:checked").count();
    await select("two").check();
    await select("four").click({ modifiers: ["Shift"] });
    await bar.getByText("3 selected").waitFor();
    await select("all listed").click();
    expect(await checked()).toBe(9);
    await select("all listed").click();
    await bar.waitFor({ state: "detached" });

    // With the keyboard alone: the second to the last.
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.keyboard.press("Space");
    await page.keyboard.press("End");
    await page.keyboard.press("Shift+X");
    await bar.getByText("8 selected").waitFor();
    expect(await select("hidden").isChecked()).toBe(true);
    await web.expectAccessible();
    await web.look({ width: 390, theme: "dark" });
    await web.expectNoOverflow();
    await web.expectAccessible();
    await bar.getByRole("button", { name: "Add to test set" }).click();
    const refused = dialog(page).getByRole("list", { name: "Not added" });
    await refused.getByText("hidden: Redacted").waitFor();
    const link = refused.getByRole("link", { name: "hidden" });
    expect(await link.getAttribute("href")).toContain(sent[2]!.traceId);
    await dialog(page).getByRole("combobox", { name: "Test set" }).selectOption("selected");
    await web.expectAccessible();
    await dialog(page).getByRole("button", { name: "Add 7", exact: true }).click();
    await page.getByText("7 rows added to").waitFor();
    const added = (await rowsOf("selected")).map(({ inputs }) => inputs.question);
    expect(added).toEqual(names.filter((name) => name !== "one" && name !== "hidden"));
    web.expectNoFaults();
  });
});
