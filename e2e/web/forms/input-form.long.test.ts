import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { withPlatform } from "../with-platform.ts";
import { startForms } from "./forms-app.ts";
import { isRun, openRoute, run, sentBy } from "./open-route.ts";

const { newPage } = withPlatform(startForms);
const open = (theme: "light" | "dark" = "light") => newPage({ height: 1600, theme });

const text = (page: Page, name: string) => page.getByRole("textbox", { name });
const alerts = (page: Page) => page.getByRole("alert").allTextContents();

/** Replaces what is in an editor. Until it is loaded, a text area in its place is filled alike. */
async function write(page: Page, name: string, content: string): Promise<void> {
  await text(page, name).fill(content);
  // A user clicks elsewhere only after the page has drawn the typed text.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));
}

async function fillKinds(page: Page): Promise<void> {
  await text(page, "Your text").fill("Agate\nis a stone.");
  await page.getByRole("spinbutton", { name: "count" }).fill("2");
  await page.getByRole("checkbox", { name: "isUrgent" }).check();
  await page.getByRole("combobox", { name: "tone" }).selectOption("calm");
  await text(page, "tags, text 1").fill("a");
  await page.getByRole("button", { name: "Add text" }).click();
  await text(page, "tags, text 2").fill("b");
}

const KINDS = {
  text: "Agate\nis a stone.",
  count: 2,
  ratio: null,
  isUrgent: true,
  tone: "calm",
  level: 2,
  tags: ["a", "b"],
  options: { depth: 0, unit: "m" },
};

describe("the form of inputs", () => {
  it("has a control for each kind, and leaves out what is optional and empty", async () => {
    await using web = await open();
    const { page } = web;
    await openRoute(page, "/kinds");
    await fillKinds(page);
    expect((await sentBy(page, () => run(page))).inputs).toEqual(KINDS);

    await page.getByRole("checkbox", { name: "isPublic" }).click();
    await text(page, "note").fill("!");
    await page.getByLabel("day").fill("2026-11-15");
    await text(page, "mail").fill("a@example.org");
    await page.getByRole("spinbutton", { name: "ratio" }).fill("0.5");
    await page.getByRole("combobox", { name: "level" }).selectOption("1");
    await page.getByRole("button", { name: "Remove text 1 of tags" }).click();
    await write(page, "options", '{"depth": 3, "unit": "km"}');
    const sent = await sentBy(page, () => run(page));
    expect(sent.inputs).toEqual({
      ...KINDS,
      isPublic: true,
      note: "!",
      day: "2026-11-15",
      mail: "a@example.org",
      ratio: 0.5,
      level: 1,
      tags: ["b"],
      options: { depth: 3, unit: "km" },
    });
    await page.getByRole("button", { name: "Omit isPublic" }).click();
    await text(page, "note").fill("");
    const again = await sentBy(page, () => run(page));
    expect(again.inputs).not.toHaveProperty("isPublic");
    expect(again.inputs).not.toHaveProperty("note");
    web.expectNoFaults();
  });

  it("says what is missing only when it is sent, and goes there", async () => {
    await using web = await open();
    const { page } = web;
    await openRoute(page, "/kinds");
    let calls = 0;
    page.on("request", (request) => {
      if (isRun(request)) calls++;
    });
    const count = page.getByRole("spinbutton", { name: "count" });
    await count.waitFor();
    expect(await alerts(page)).toEqual([]);
    await run(page);
    await expect.poll(() => alerts(page)).toEqual(["Must be a whole number.", "Choose a value."]);
    await expect.poll(() => count.evaluate((it) => it === document.activeElement)).toBe(true);
    await count.fill("0");
    await expect.poll(() => alerts(page)).toContain("Must be 1 or more (got 0).");
    await write(page, "options", "{\n  depth: 3\n}");
    await expect
      .poll(() => alerts(page))
      .toContain('Line 2, column 3: Expected a name in double quotes, such as "text".');
    await write(page, "options", "[]");
    await expect.poll(() => alerts(page)).toContain("Must be an object (got a list).");
    expect(calls).toBe(0);
    await web.expectAccessible();
    web.expectNoFaults();
  });

  it("is one field where the inputs are one text", async () => {
    await using web = await open();
    const { page } = web;
    await openRoute(page, "/word");
    await text(page, "inputs").fill("no");
    expect((await sentBy(page, () => run(page))).inputs).toBe("no");
    await expect.poll(() => text(page, "inputs").getAttribute("aria-invalid")).toBe("true");
    await text(page, "inputs").fill('Say "agate"');
    expect((await sentBy(page, () => run(page))).inputs).toBe('Say "agate"');
    await page.getByRole("button", { name: "JSON", exact: true }).click();
    expect(JSON.parse(await editorText(page, "Inputs as JSON"))).toBe('Say "agate"');
    web.expectNoFaults();
  });

  it("is JSON on request and back, and says why it cannot be", async () => {
    await using web = await open();
    const { page } = web;
    await openRoute(page, "/kinds");
    await fillKinds(page);
    const mode = (name: string) => page.getByRole("button", { name, exact: true });
    await page.getByRole("spinbutton", { name: "count" }).fill("two");
    await mode("JSON").click();
    await expect
      .poll(() => alerts(page))
      .toContain('Fix count first: Must be a whole number (got "two").');
    await page.getByRole("spinbutton", { name: "count" }).fill("2");
    await mode("JSON").click();
    expect(JSON.parse(await editorText(page, "Inputs as JSON"))).toEqual(KINDS);

    await write(page, "Inputs as JSON", '{"text": "Hi", "colour": 1}');
    await mode("Form").click();
    await page
      .getByText('The form has no field "colour". Remove it, or continue in JSON.')
      .waitFor();
    // It can be sent as it is: the server has the last word.
    expect((await sentBy(page, () => run(page))).inputs).toEqual({ text: "Hi", colour: 1 });
    await write(page, "Inputs as JSON", JSON.stringify({ ...KINDS, note: "", count: 7 }));
    await mode("Form").click();
    await expect.poll(() => page.getByRole("spinbutton", { name: "count" }).inputValue()).toBe("7");
    // An empty text of an optional field is not the same as none.
    await expect.poll(() => editorText(page, "note as JSON")).toBe('""');
    expect((await sentBy(page, () => run(page))).inputs).toEqual({ ...KINDS, note: "", count: 7 });
    web.expectNoFaults();
  });

  it("takes any JSON where the route does not name its inputs", async () => {
    await using web = await open("dark");
    const { page } = web;
    await openRoute(page, "/anything");
    await page.getByText("This route has no input schema").waitFor();
    await page.locator(".cm-editor").waitFor();
    await web.expectAccessible();
    await write(page, "Inputs as JSON", '{"list": [1, 2,]}');
    await expect
      .poll(() => alerts(page))
      .toEqual(["Line 1, column 16: A value is missing before this ]."]);
    await write(page, "Inputs as JSON", '{"list": [1, 2]}');
    expect((await sentBy(page, () => run(page))).inputs).toEqual({ list: [1, 2] });
    // Typed and undone by keys, and left by Tab.
    await text(page, "Inputs as JSON").focus();
    await page.keyboard.press("Control+End");
    await page.keyboard.type("!");
    await expect.poll(() => editorText(page, "Inputs as JSON")).toBe('{"list": [1, 2]}!');
    await page.keyboard.press("Control+z");
    await expect.poll(() => editorText(page, "Inputs as JSON")).toBe('{"list": [1, 2]}');
    await page.keyboard.press("Tab");
    const isLeft = () =>
      text(page, "Inputs as JSON").evaluate((it) => it !== document.activeElement);
    await expect.poll(isLeft).toBe(true);
    web.expectNoFaults();
  });

  it("brings what is wrong deep inside of an input to its field", async () => {
    await using web = await open();
    const { page } = web;
    await openRoute(page, "/judged");
    await write(page, "messages", '[{"content": "hello"}, {"content": 5}]');
    await run(page);
    await expect
      .poll(() => alerts(page))
      .toContainEqual(expect.stringMatching(/^\[1\]\.content: /));
    web.expectNoFaults();
  });

  it("loads the editor only where one is shown", async () => {
    await using web = await open();
    const { page } = web;
    const scripts: string[] = [];
    page.on("request", (request) => {
      if (request.resourceType() === "script") scripts.push(new URL(request.url()).pathname);
    });
    await openRoute(page, "/fields");
    await page.getByRole("textbox", { name: "prompt" }).waitFor();
    const before = scripts.length;
    expect(scripts.filter((path) => path.includes("code-mirror"))).toEqual([]);
    await openRoute(page, "/anything");
    await page.locator(".cm-editor").waitFor();
    expect(scripts.slice(before).filter((path) => path.includes("code-mirror"))).toHaveLength(1);
    web.expectNoFaults();
  });

  it("is accessible on a phone, in the dark", async () => {
    await using web = await newPage({ width: 390, theme: "dark" });
    await openRoute(web.page, "/kinds");
    await web.page.locator(".cm-editor").waitFor();
    await web.expectAccessible();
    web.expectNoFaults();
  });
});

/** What is in an editor, line by line. */
async function editorText(page: Page, name: string): Promise<string> {
  await page.locator(".cm-editor").first().waitFor();
  const lines = text(page, name).locator(".cm-line");
  await lines.first().waitFor();
  return (await lines.allTextContents()).join("\n");
}
