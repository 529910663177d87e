// The page shows all that a client sends as text. Markup goes through every field that a client can fill,
// and through every view that shows one.
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { workflowOpenapi } from "../../../packages/platform/src/server/routes/registry/testing/workflow-openapi.fixture.ts";
import { startServer } from "../../running-server.ts";
import { sendOtlp } from "../../send-otlp.ts";
import { withPlatform } from "../with-platform.ts";
import { HOSTILE_SOURCE, HOSTILE_SPANS, HOSTILE_TRACE_ID, hostile } from "./hostile-trace.ts";

const { newPage, platform, registry } = withPlatform(startServer);
beforeAll(async () => {
  await sendOtlp(platform().url, HOSTILE_SPANS, HOSTILE_SOURCE);
  await registerHostile();
});

/** Names are slugs; but a schema, a configuration and messages are free text. */
async function registerHostile(): Promise<void> {
  await registry("POST", "/applications", { slug: "hostile" });
  await registry("POST", "/applications/hostile/variants", { slug: "default" });
  for (const n of [1, 2]) {
    await registry("POST", "/applications/hostile/variants/default/revisions", {
      params: {
        [`/${hostile("route param")}`]: { [hostile("param")]: hostile(`param value ${n}`) },
      },
      base_revision: n - 1,
      message: hostile("commit message"),
    });
  }
  const field = { type: "string", default: "", "x-ag-control": "text-area" };
  const openapi = workflowOpenapi({ [hostile("field")]: field });
  await registry("PUT", "/applications/hostile/schema", openapi);
  for (const n of [1, 2]) {
    await registry("POST", "/applications/hostile/environments/production/deployments", {
      variant: "default",
      revision: n,
      message: hostile("deploy message"),
    });
  }
}

/** A page that remembers what ran, and what the policy had to stop. */
async function openWatched() {
  const web = await newPage({ own: {} });
  await web.page.addInitScript(() => {
    const watched = globalThis as unknown as { hits: string[]; hit: (field: string) => void };
    watched.hits = [];
    watched.hit = (field) => watched.hits.push(field);
    addEventListener("securitypolicyviolation", (event) =>
      watched.hits.push(`stopped by the policy: ${event.violatedDirective} ${event.blockedURI}`),
    );
  });
  web.page.on("dialog", (dialog) => void dialog.dismiss());
  return web;
}

/** Fails if the page has become anything but text; gives the text that it shows. */
async function expectTextOnly(page: Page): Promise<string> {
  const { text, ...found } = await page.evaluate(() => {
    const own = (element: Element) =>
      /^\/assets\//.test(element.getAttribute("src") ?? "") ||
      element.closest("head") !== null ||
      element.matches('#first-answers[type="application/json"]');
    const foreign = [
      ...document.querySelectorAll("img, script, iframe, object, embed, base, form[action]"),
    ]
      .filter((element) => !own(element))
      .map((element) => element.outerHTML.slice(0, 200));
    const handlers = [...document.querySelectorAll("*")].flatMap((element) =>
      [...element.attributes]
        .filter(({ name, value }) => /^on/i.test(name) || /^\s*javascript:/i.test(value))
        .map(({ name, value }) => `${element.tagName} ${name}=${value}`),
    );
    const { hits } = globalThis as unknown as { hits: string[] };
    // biome-ignore lint/performance/useDomNodeTextContent: only what is to be seen counts.
    const text = document.querySelector("main")?.innerText ?? "";
    return { foreign, handlers, hits, text };
  });
  expect(found).toEqual({ foreign: [], handlers: [], hits: [] });
  return text;
}

/** The fields whose text is in this one, as it was sent. */
function fieldsIn(text: string): readonly string[] {
  const sent = text.matchAll(/window\.hit\(\\?['"]?([\w ]+?)\\?['"]?\)/g);
  return [...sent].map(([, field]) => field ?? "");
}

describe("recorded content", () => {
  it("is text in every list", async () => {
    await using web = await openWatched();
    for (const [path, field] of [
      ["/traces", "name"],
      ["/?by=application", "application"],
      ["/?by=route", "route"],
      ["/?by=variant", "variant name"],
      ["/?by=environment", "environment"],
      ["/apps/hostile/variants/default", "commit message"],
      ["/apps/hostile/environments/production", "deploy message"],
      ["/apps/hostile/compare?from=default@1&to=default@2", "param"],
      ["/apps/hostile", "deploy message"],
    ] as const) {
      await web.open(path);
      await web.page
        .getByText(new RegExp(`hit\\('${field}`))
        .first()
        .waitFor();
      await expectTextOnly(web.page);
    }
    web.expectNoFaults();
  });

  it("is text on the page of its trace, in every tab of every span", async () => {
    await using web = await openWatched();
    await web.open(`/traces/${HOSTILE_TRACE_ID}`);
    const { page } = web;
    const rows = page.getByRole("treegrid").getByRole("row").filter({ hasText: "window.hit" });
    await rows.first().waitFor();
    await expect.poll(() => rows.count()).toBe(HOSTILE_SPANS.length);
    const shown = new Set<string>();
    const look = async () => {
      for (const field of fieldsIn(await expectTextOnly(page))) shown.add(field);
    };
    for (let n = 0; n < HOSTILE_SPANS.length; n++) {
      await rows.nth(n).click();
      await expect.poll(() => rows.nth(n).getAttribute("aria-selected")).toBe("true");
      for (const tab of await page.getByRole("tab").all()) {
        await tab.click();
        await expect.poll(() => tab.getAttribute("aria-selected")).toBe("true");
        await look();
        // Everything that is collapsed.
        let hasExpanded = false;
        for (const name of [/expand all/i, /show all/i]) {
          for (const button of await page.getByRole("button", { name }).all()) {
            if (!(await button.isVisible())) continue;
            await button.click();
            hasExpanded = true;
          }
        }
        if (hasExpanded) await look();
      }
    }
    // What was looked at is what was sent: a view that shows nothing would pass all of the above.
    const sent = [
      ...JSON.stringify([HOSTILE_SPANS, HOSTILE_SOURCE]).matchAll(/window\.hit\('([\w ]+)'\)/g),
    ];
    expect(
      [...new Set(sent.map(([, field]) => field))].filter((field) => !shown.has(field ?? "")),
    ).toEqual([]);
    web.expectNoFaults();
  });
});

describe("the policy", () => {
  it("stops markup that would have got through all the same", async () => {
    await using web = await openWatched();
    await web.open("/traces");
    const { page } = web;
    await page.getByRole("heading", { level: 1 }).waitFor();
    const outcome = await page.evaluate(() => {
      const script = document.createElement("script");
      try {
        script.textContent = "window.hit('script')";
        document.body.append(script);
        document.body.insertAdjacentHTML(
          "beforeend",
          `<img src=x onerror="window.hit('handler')">`,
        );
      } catch (error) {
        return String(error);
      }
      return "nothing was thrown";
    });
    // Trusted types refuse the text itself, where the browser knows them.
    expect(outcome).toMatch(/TrustedHTML|TrustedScript|nothing was thrown/);
    const hits = await page.evaluate(() => (globalThis as unknown as { hits: string[] }).hits);
    expect(hits.filter((hit) => !hit.startsWith("stopped by the policy"))).toEqual([]);
  });
});
