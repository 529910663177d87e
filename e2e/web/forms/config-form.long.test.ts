import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { withPlatform } from "../with-platform.ts";
import { startForms } from "./forms-app.ts";
import { isRun, openRoute, run, sentBy } from "./open-route.ts";

const { newPage } = withPlatform(startForms);
const open = (theme: "light" | "dark" = "light") => newPage({ height: 1600, theme });

const slider = (page: Page, name: string) => page.getByRole("slider", { name });
const box = (page: Page, name: string) => page.getByRole("spinbutton", { name });
const alerts = (page: Page) => page.getByRole("alert").allTextContents();

describe("the form of a configuration", () => {
  it("has the contract's control for each field, with its default", async () => {
    await using web = await open();
    const { page } = web;
    await openRoute(page, "/fields");
    const prompt = page.getByRole("textbox", { name: "prompt" });
    expect(await prompt.inputValue()).toBe("Answer from the text alone.");
    expect(await prompt.evaluate(({ tagName }) => tagName)).toBe("TEXTAREA");
    expect(await page.getByRole("checkbox", { name: "bullets" }).isChecked()).toBe(false);
    const tone = page.getByRole("combobox", { name: "tone" });
    expect(await tone.inputValue()).toBe("formal");
    expect(await tone.getByRole("option").allTextContents()).toEqual([
      "plain",
      "formal",
      "playful",
    ]);
    const model = page.getByRole("combobox", { name: "model" });
    expect(await model.inputValue()).toBe("large");
    const groups = await model
      .locator("optgroup")
      .evaluateAll((all) => all.map((group) => [group.getAttribute("label"), group.textContent]));
    expect(groups).toEqual([
      ["Fast", "miniflash"],
      ["Careful", "flashlarge"],
    ]);
    await page.getByText("How many sentences.").waitFor();
    await web.expectAccessible();
    web.expectNoFaults();
  });

  it("has sliders between the bounds, inside of those that are excluded", async () => {
    await using web = await open();
    const { page } = web;
    await openRoute(page, "/fields");
    const ends = async (name: string) => {
      const control = slider(page, name);
      return [await control.getAttribute("min"), await control.getAttribute("max")].map(Number);
    };
    expect(await ends("temperature")).toEqual([0, 2]);
    expect(await ends("top")).toEqual([0.01, 0.99]);
    expect(await ends("Length")).toEqual([1, 9]);
    expect(await ends("maxTokens")).toEqual([-1, 4096]);
    expect(await ends("budget")).toEqual([0, 1e9]);
    expect(await ends("rate")).toEqual([1e-6, 1e-3]);
    expect(await ends("tiny")).toEqual([1e-9, 1e-8]);
    expect(await ends("wide")).toEqual([Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER]);
    // Long bounds leave it room.
    const { width = 0 } = (await slider(page, "wide").boundingBox()) ?? {};
    expect(width).toBeGreaterThan(100);
    expect(await ends("fixed")).toEqual([3, 3]);
    // A number box alone where a bound is missing.
    for (const name of ["seed", "offset"]) {
      expect(await slider(page, name).count()).toBe(0);
      expect(await box(page, name).count()).toBe(1);
    }
    web.expectNoFaults();
  });

  it("is worked with keys alone, and sends what it shows", async () => {
    await using web = await open();
    const { page } = web;
    await openRoute(page, "/fields");
    const press = async (name: string, ...keys: readonly string[]) => {
      await slider(page, name).focus();
      for (const key of keys) await page.keyboard.press(key);
      return box(page, name).inputValue();
    };
    expect(await press("top", "Home", "ArrowLeft")).toBe("0.01");
    expect(await press("top", "End", "ArrowRight")).toBe("0.99");
    expect(await press("temperature", "ArrowRight", "PageUp")).toBe("0.92");
    expect(await press("Length", "Home", "ArrowUp")).toBe("2");
    expect(await press("rate", "End", "ArrowLeft")).toBe("0.000995");
    expect(await press("fixed", "ArrowRight", "PageDown")).toBe("3");
    await box(page, "budget").focus();
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Shift+ArrowUp");
    await box(page, "seed").focus();
    // Zero is the lowest.
    await page.keyboard.press("ArrowDown");
    await page.getByRole("checkbox", { name: "bullets" }).focus();
    await page.keyboard.press("Space");
    // Over the way back that the changed field has now.
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.type("plai");
    const sent = await sentBy(page, () => page.keyboard.press("Control+Enter"));
    expect(sent.config).toMatchObject({
      top: 0.99,
      temperature: 0.92,
      sentences: 2,
      rate: 0.000995,
      budget: 16,
      seed: 0,
      bullets: true,
      tone: "plain",
    });
    web.expectNoFaults();
  });

  it("marks what the server would refuse in its own words, keeps it as typed, and does not send it", async () => {
    await using web = await open();
    const { page } = web;
    await openRoute(page, "/fields");
    let calls = 0;
    page.on("request", (request) => {
      if (isRun(request)) calls++;
    });
    for (const [name, text, message] of [
      ["Length", "0", "Must be greater than 0 (got 0)."],
      ["Length", "10", "Must be less than 10 (got 10)."],
      ["Length", "1.5", "Must be a whole number (got 1.5)."],
      ["Length", "1e400", 'Must be a whole number (got "1e400").'],
      ["Length", "", 'Must be a whole number (got "").'],
      ["Length", "many", 'Must be a whole number (got "many").'],
    ] as const) {
      await box(page, name).fill(text);
      await expect.poll(() => alerts(page)).toEqual([message]);
      expect(await box(page, name).getAttribute("aria-invalid")).toBe("true");
    }
    await run(page);
    await expect
      .poll(() => box(page, "Length").evaluate((it) => it === document.activeElement))
      .toBe(true);
    expect(await box(page, "Length").inputValue()).toBe("many");
    expect(calls).toBe(0);
    await web.expectAccessible();
    await page.getByRole("button", { name: /Reset to default for sentences: 3/ }).click();
    await expect.poll(() => alerts(page)).toEqual([]);
    expect((await sentBy(page, () => run(page))).config.sentences).toBe(3);
    web.expectNoFaults();
  });

  it("keeps 1.50 as it is typed while it is the value, and puts a changed field back", async () => {
    await using web = await open();
    const { page } = web;
    await openRoute(page, "/fields");
    await box(page, "temperature").fill("1.50");
    expect(await slider(page, "temperature").inputValue()).toBe("1.5");
    expect(await box(page, "temperature").inputValue()).toBe("1.50");
    await slider(page, "temperature").fill("1");
    expect(await box(page, "temperature").inputValue()).toBe("1");
    await page.getByText("changed", { exact: true }).waitFor();
    await page.getByRole("button", { name: /Reset to default for temperature/ }).click();
    await expect.poll(() => box(page, "temperature").inputValue()).toBe("0.7");
    await page.getByText("changed", { exact: true }).waitFor({ state: "detached" });
    web.expectNoFaults();
  });

  it("brings a refusal that only the server knows to its own field", async () => {
    await using web = await open();
    const { page } = web;
    await openRoute(page, "/judged");
    const word = page.getByRole("textbox", { name: "word" });
    await word.fill("rude");
    const text = page.getByRole("textbox", { name: "text" });
    await text.fill("a forbidden word");
    await run(page);
    await expect.poll(() => describedBy(page, "word")).toContain("Say it politely.");
    await expect.poll(() => describedBy(page, "text")).toContain("Not that word.");
    await word.fill("please");
    await expect.poll(() => word.getAttribute("aria-invalid")).toBeNull();
    web.expectNoFaults();
  });

  it("gives a prompt a large editor, which takes the focus and gives it back", async () => {
    await using web = await open("dark");
    const { page } = web;
    await openRoute(page, "/fields");
    const opener = page.getByRole("button", { name: "Edit prompt in a larger editor" });
    await opener.click();
    const editor = page.getByRole("dialog").getByRole("textbox", { name: "prompt" });
    await expect.poll(() => editor.evaluate((it) => it === document.activeElement)).toBe(true);
    await page.keyboard.type(" Be brief.");
    await web.expectAccessible();
    // Tab leaves the editor.
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await page.getByRole("textbox", { name: "prompt" }).inputValue()).toBe(
      "Answer from the text alone. Be brief.",
    );
    await expect.poll(() => opener.evaluate((it) => it === document.activeElement)).toBe(true);
    web.expectNoFaults();
  });

  it("is accessible on a phone, in the dark", async () => {
    await using web = await newPage({ width: 390, theme: "dark" });
    await openRoute(web.page, "/fields");
    await web.page.getByRole("textbox", { name: "prompt" }).waitFor();
    await web.expectAccessible();
    web.expectNoFaults();
  });
});

/** What is read out with a field, after its name. */
async function describedBy(page: Page, name: string): Promise<string> {
  return page.getByRole("textbox", { name }).evaluate((control) =>
    (control.getAttribute("aria-describedby") ?? "")
      .split(" ")
      .map((id) => document.getElementById(id)?.textContent)
      .join(" "),
  );
}
