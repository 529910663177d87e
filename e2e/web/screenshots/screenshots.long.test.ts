// The pictures of the documentation. `npm run screenshots` takes them anew; in a run of all tests they
// are taken and compared with nothing: that each page gets as far as being worth a picture is the test.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { evaluateQuickstart } from "../../../scripts/evaluate-quickstart.ts";
import { sendOtlp } from "../../send-otlp.ts";
import { startQuickstart } from "../quickstart-platform.ts";
import { withPlatform } from "../with-platform.ts";
import { demoSpans } from "./demo-traces.ts";

const folder = join(import.meta.dirname, "../../../docs/images");
const areKept = process.env.AGATE_SCREENSHOTS === "keep";

const { open, platform, registry } = withPlatform(startQuickstart);
beforeAll(async () => {
  // Traces of a registered application lead to its playground.
  await registry("POST", "/applications", { slug: "support" });
  const spans = demoSpans(Date.now(), areKept ? 1400 : 200);
  for (let at = 0; at < spans.length; at += 500) {
    await sendOtlp(platform().url, spans.slice(at, at + 500), {
      resource: { "service.name": "support" },
    });
  }
  await evaluateQuickstart({
    platformUrl: platform().url,
    application: "quickstart",
    folder: join(import.meta.dirname, "../../../examples/quickstart"),
    signal: new AbortController().signal,
  });
});

interface Picture {
  readonly name: string;
  readonly path: string;
  readonly theme?: "light" | "dark";
  /** Brings the page to where it is shown best. */
  readonly arrange: (page: Page) => Promise<unknown>;
}

const QUESTION = "How do agates get their bands?";

async function compareAnswers(page: Page): Promise<void> {
  await page.getByRole("textbox", { name: "question" }).fill(QUESTION);
  await page.getByRole("button", { name: /^Run all/ }).click();
  await expect.poll(() => page.getByText("Done").count()).toBe(2);
  await page.getByRole("button", { name: "Show differences" }).click();
}

async function chooseChat(page: Page): Promise<void> {
  await page
    .getByRole("row", { name: /chat gpt/ })
    .last()
    .click();
  await page.getByText("You answer customers").waitFor();
}

const PICTURES: readonly Picture[] = [
  {
    name: "playground",
    path: "/apps/quickstart/playground?route=/&configs=concise@1,thorough@1",
    arrange: compareAnswers,
  },
  {
    name: "traces",
    path: "/traces?application=support&range=24h",
    arrange: (page) =>
      page
        .getByRole("row", { name: /invoke_workflow answer/ })
        .first()
        .waitFor(),
  },
  { name: "trace", path: "/traces", arrange: openOrder },
  { name: "trace-dark", path: "/traces", theme: "dark", arrange: openOrder },
  {
    name: "application",
    path: "/apps/quickstart",
    arrange: (page) =>
      page
        .getByText(/fields differ/)
        .first()
        .waitFor(),
  },
  {
    name: "dashboard",
    path: "/?by=variant&application=support",
    arrange: (page) => page.locator("canvas").first().waitFor(),
  },
  { name: "run", path: "/runs", arrange: openRun },
];

async function openRun(page: Page): Promise<void> {
  await page.locator('a[href*="/runs/"]').first().click();
  await page.getByRole("list", { name: "Gates" }).getByRole("listitem").first().waitFor();
  await page.getByRole("list", { name: "Cases" }).getByRole("listitem").first().waitFor();
}

async function openOrder(page: Page): Promise<void> {
  const { traceId } =
    demoSpans(Date.now()).find(({ attributes, status }) => {
      const inputs = String(attributes?.["ag.content.inputs"]);
      return status?.code === 1 && inputs.includes("order 8812");
    }) ?? {};
  await page.goto(`/traces/${traceId}`);
  await chooseChat(page);
}

describe("pictures", () => {
  it.each(PICTURES)("of $name", async ({ name, path, theme = "light", arrange }) => {
    await using web = await open(path, {
      height: 820,
      theme,
      // Sharp on the screens of those who read documentation.
      ...(areKept && { own: { deviceScaleFactor: 2 } }),
    });
    await arrange(web.page);
    await web.page.evaluate(() => document.fonts.ready);
    const picture = await web.page.screenshot();
    if (areKept) {
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, `${name}.png`), picture);
    }
    web.expectNoFaults();
  });
});
