import type { Environment, Revision } from "@agate/protocol";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { type AppPlatform, startApp } from "../app-platform.ts";
import { isRun, run } from "../forms/open-route.ts";
import { withPlatform } from "../with-platform.ts";

/** A route whose configuration has objects, lists, optional and nullable fields, and messages. */
const APP = `import * as ag from "@agate/sdk";
import { z } from "zod";

const SearchConfig = z.object({
  prompt: ag.Messages({
    variables: ["question"],
    default: [
      { role: "system", content: "Answer in one sentence." },
      { role: "user", content: "{{question}}" },
    ],
  }),
  retrieval: z.object({
    topK: z.int().min(1).max(50).default(5),
    weights: z.array(z.number().min(0).max(1)).min(1).max(3).default([0.5, 0.5]),
    rerank: z
      .object({ model: z.string(), depth: z.int().min(1).default(20) })
      .nullable()
      .default(null)
      .describe("A second look at what was found."),
  }),
  seed: z.int().optional(),
  examples: z.array(z.object({ input: z.string(), weight: z.number().default(1) })).default([]),
});

export const search = ag.route("/search", SearchConfig)(
  async ({ question }: { question: string }, { config }) => ({
    said: ag.render(config.prompt, { question }),
    config,
  }),
);

export default ag.app(search);
`;

const startNested = (): Promise<AppPlatform> => startApp("nested", APP);
const { newPage, registry } = withPlatform(startNested);

async function open(size: { width?: number; height?: number; theme?: "light" | "dark" } = {}) {
  const web = await newPage({ height: 1800, ...size });
  await web.page.goto("/apps/nested/playground?route=/search");
  await web.page.getByRole("heading", { level: 1, name: "/search" }).waitFor();
  return web;
}

const group = (page: Page, name: string) => page.getByRole("group", { name, exact: true });
const pressed = (page: Page, field: string, text: string) =>
  page.getByRole("group", { name: `${field}: value or` }).getByRole("button", { name: text });

describe("a nested configuration in the playground", () => {
  it("is edited, run, committed, found again and deployed", async () => {
    await using web = await open();
    const { page } = web;
    // The names that the function destructures.
    await expect.poll(() => page.locator(".cm-content").textContent()).toContain('"question": ""');

    const content = page.getByRole("textbox", { name: "Content of message 2 of prompt" });
    await content.fill("About {{questoin}}?");
    await page.getByRole("alert").getByText("got {{questoin}}").waitFor();
    expect(await content.getAttribute("aria-invalid")).toBe("true");
    await content.fill("About {{question}}?");
    await page.getByRole("alert").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Add message" }).click();
    // The new message has the focus, and goes on in turns.
    const role = page.getByRole("combobox", { name: "Role of message 3 of prompt" });
    await expect.poll(() => role.evaluate((it) => it === document.activeElement)).toBe(true);
    expect(await role.inputValue()).toBe("assistant");
    await page.getByRole("textbox", { name: "Content of message 3 of prompt" }).fill("Well,");
    await page.getByRole("button", { name: "Move message 3 of prompt up" }).click();
    await page.getByRole("button", { name: "Move message 2 of prompt down" }).click();

    await group(page, "retrieval").getByRole("spinbutton", { name: "topK" }).fill("3");
    await page.getByRole("spinbutton", { name: "item 2 of weights" }).fill("2");
    await page.getByRole("alert").getByText("Must be 1 or less (got 2).").waitFor();
    await page.getByRole("spinbutton", { name: "item 2 of weights" }).fill("0.25");
    await page.getByRole("button", { name: "Move item 2 of weights up" }).click();
    await pressed(page, "rerank", "Value").click();
    await group(page, "rerank").getByRole("textbox", { name: "model" }).fill("ranker");
    await pressed(page, "seed", "Value").click();
    await page.getByRole("spinbutton", { name: "seed" }).fill("7");
    await group(page, "examples").getByRole("button", { name: "Add item" }).click();
    await group(page, "item 1 of examples").getByRole("textbox", { name: "input" }).fill("x");
    await web.expectAccessible();

    await page.getByRole("textbox", { name: "Inputs as JSON" }).fill('{"question": "agates"}');
    const [request] = await Promise.all([page.waitForRequest(isRun), run(page)]);
    const config = {
      prompt: [
        { role: "system", content: "Answer in one sentence." },
        { role: "user", content: "About {{question}}?" },
        { role: "assistant", content: "Well," },
      ],
      retrieval: { topK: 3, weights: [0.25, 0.5], rerank: { model: "ranker", depth: 20 } },
      seed: 7,
      examples: [{ input: "x", weight: 1 }],
    };
    expect(request.postDataJSON()).toEqual({ config, inputs: { question: "agates" } });
    expect(await (await request.response())?.text()).toContain("About agates?");

    await page.getByRole("button", { name: "Commit…" }).click();
    const dialog = page.getByRole("dialog");
    // What changed is told by its path.
    await dialog.getByText("retrieval.weights[0]").waitFor();
    await dialog.getByRole("button", { name: "Commit", exact: true }).click();
    await dialog.getByText("default@2").waitFor();
    const path = "/applications/nested/variants/default/revisions/latest";
    expect((await registry<Revision>("GET", path)).params).toEqual({ "/search": config });
    await dialog.getByRole("button", { name: "Deploy…" }).click();
    await dialog.getByLabel("Environment").selectOption("development");
    await dialog.getByRole("button", { name: "Deploy", exact: true }).click();
    await page.getByText("live in development", { exact: true }).waitFor();
    const development = "/applications/nested/environments/development";
    expect((await registry<Environment>("GET", development)).deployment?.variant.revision).toBe(2);

    await page.reload();
    await expect.poll(() => content.inputValue()).toBe("About {{question}}?");
    // A field that may be left out can be taken out again, and the rest stays.
    await pressed(page, "seed", "Not set").click();
    await pressed(page, "rerank", "null").click();
    await page.getByText("2 changed").waitFor();
    await page.getByRole("button", { name: "Commit…" }).click();
    await dialog.getByText("seed").first().waitFor();
    await dialog.getByRole("button", { name: "Commit", exact: true }).click();
    await dialog.getByText("default@3").waitFor();
    const { seed: _seed, ...unseeded } = config;
    expect((await registry<Revision>("GET", path)).params).toEqual({
      "/search": { ...unseeded, retrieval: { ...config.retrieval, rerank: null } },
    });
    web.expectNoFaults();
  });

  it("is accessible on a phone, in the dark, and collapses", async () => {
    await using web = await open({ width: 390, theme: "dark" });
    const { page } = web;
    await group(page, "retrieval").getByRole("spinbutton", { name: "topK" }).waitFor();
    await web.expectAccessible();
    await group(page, "retrieval")
      .getByRole("button", { name: "retrieval", exact: true })
      .press("Enter");
    await page.getByRole("spinbutton", { name: "topK" }).waitFor({ state: "detached" });
    await web.expectAccessible();
    web.expectNoFaults();
  });
});
