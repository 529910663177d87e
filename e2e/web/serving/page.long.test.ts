import { gzipSync } from "node:zlib";
import type { Response } from "playwright-core";
import { describe, expect, it } from "vitest";
import { emptyDataFolder } from "../../data-folder.ts";
import { startServer } from "../../running-server.ts";
import { startQuickstart } from "../quickstart-platform.ts";
import { withPlatform } from "../with-platform.ts";

/** Bytes of script, compressed with gzip, that the list of traces may take. */
const MOST_SCRIPT = 300_000;

const { newPage, platform } = withPlatform(startQuickstart);

describe("the page at an address", () => {
  it("is served at each of its paths, and requests no other host", async () => {
    const traceId = await platform().call("/", { inputs: { question: "What is agate?" } });
    // That each shows itself is seen in the other files, which open them by these addresses.
    const documents = new Set<string>();
    for (const path of [
      "/",
      "/dashboard",
      "/traces",
      `/traces/${traceId}`,
      "/playground",
      "/apps",
      "/apps/quickstart",
      "/apps/quickstart/playground",
      "/apps/quickstart/compare",
      "/apps/quickstart/variants/default",
      "/apps/quickstart/environments/development",
    ]) {
      const response = await fetch(platform().url + path, { headers: { accept: "text/html" } });
      expect(response.status, path).toBe(200);
      const [, nonce = ""] =
        /'nonce-([^']+)'/.exec(response.headers.get("content-security-policy") ?? "") ?? [];
      const html = (await response.text()).replaceAll(nonce, "NONCE");
      // The scripts of each page differ, and what it asks for first.
      const own = /<link rel="modulepreload"[^>]*>|<script id="first-answers"[^>]*>.*?<\/script>/g;
      documents.add(html.replaceAll(own, ""));
    }
    expect(documents.size).toBe(1);
    await using web = await newPage();
    await web.open("/dashboard");
    await web.page.getByRole("heading", { level: 1 }).waitFor();
    web.expectNoFaults();
  });

  it("shows an error for an unknown path, below the API too", async () => {
    await using web = await newPage();
    for (const path of ["/nothing", "/observability/nothing", "/registry/nothing/here"]) {
      const opened = await web.page.goto(platform().url + path);
      expect(opened?.status()).toBe(404);
      await web.page.getByRole("heading", { level: 1, name: "Page not found" }).waitFor();
    }
  });

  it("loads little script for the list of traces, all of it compressed", async () => {
    await using web = await newPage({ own: {} });
    const scripts: Response[] = [];
    web.page.on("response", (response) => {
      if (response.request().resourceType() === "script") scripts.push(response);
    });
    const listed = web.page.waitForResponse(/\/observability\/traces\//);
    await web.open("/traces");
    await listed;
    await web.page.getByRole("heading", { level: 1, name: "Traces" }).waitFor();
    const bodies = await Promise.all(scripts.map((script) => script.body()));
    const bytes = bodies.map((body) => gzipSync(body).length).reduce((sum, each) => sum + each, 0);
    expect(scripts.length).toBeGreaterThan(0);
    expect(bytes).toBeLessThan(MOST_SCRIPT);
    for (const script of scripts) {
      expect((await script.allHeaders())["content-encoding"], script.url()).toMatch(
        /^(?:br|gzip)$/,
      );
    }
  });
});

describe("injected markup", () => {
  it("runs no script, styles nothing and is not framed", async () => {
    await using web = await newPage();
    const { page } = web;
    await page.route("**/traces", async (route) => {
      // Playwright does not decode zstd.
      const headers = { ...route.request().headers(), "accept-encoding": "identity" };
      const response = await route.fetch({ headers });
      const html = await response.text();
      const injected = `
        <script>window.injected = "inline";</script>
        <script src="data:text/javascript,window.injected='data'"></script>
        <script src="https://evil.example/x.js"></script>
        <img src="/nothing" onerror="window.injected = 'handler'">
        <style>body { margin-top: 77px }</style>
        <iframe src="/docs"></iframe>
        <base href="https://evil.example/">`;
      await route.fulfill({ response, body: html.replace("<body>", `<body>${injected}`) });
    });
    const blocked = new Set<string>();
    page.on("console", (message) => {
      const directive = /directive:? ['"]([a-z-]+)/.exec(message.text())?.[1];
      if (directive !== undefined) blocked.add(directive);
    });
    await web.open("/traces");
    await page.getByRole("heading", { level: 1, name: "Traces" }).waitFor();
    expect(await page.evaluate(() => Reflect.get(window, "injected"))).toBeUndefined();
    expect(await page.evaluate(() => getComputedStyle(document.body).marginTop)).toBe("0px");
    expect(await page.evaluate(() => document.baseURI)).toBe(`${platform().url}/traces`);
    expect([...blocked]).toEqual(expect.arrayContaining(["script-src", "style-src", "base-uri"]));
    // Script that would turn text into markup throws (Trusted Types).
    const outcome = await page.evaluate(() => {
      try {
        document.body.innerHTML = "<b>text</b>";
        return "markup";
      } catch (error) {
        return String(error);
      }
    });
    expect(outcome).toMatch(/TrustedHTML/);
  });
});

describe("a platform that stops", () => {
  it("is reported as unreachable, and the page reconnects when it is back", async () => {
    await using folder = await emptyDataFolder();
    const options = { dataDirectory: folder.path };
    await using first = await startServer(options);
    await using web = await newPage({ own: { baseURL: first.url } });
    const { page } = web;
    const away = page.getByRole("status").filter({ hasText: "Can't reach Agate" });
    const again = { ...options, flags: ["--port", new URL(first.url).port] };
    await web.open("/apps");
    await page.getByText("No applications yet").waitFor();
    await first.stop();
    // A page that was not shown yet: its script is still to be loaded.
    await page.getByRole("link", { name: "Traces" }).click();
    await away.waitFor();
    await web.expectAccessible();
    await using second = await startServer(again);
    await page.getByRole("heading", { level: 1, name: "Traces" }).waitFor();
    await away.waitFor({ state: "detached" });

    await page.getByRole("link", { name: "Applications" }).click();
    await page.getByText("No applications yet").waitFor();
    await second.stop();
    // One that was: what it shows is asked for.
    await page.getByRole("link", { name: "Traces" }).click();
    await page.getByRole("link", { name: "Applications" }).click();
    await away.waitFor();
    await using _third = await startServer(again);
    await away.waitFor({ state: "detached" });
    await page.getByText("No applications yet").waitFor();
    web.expectNoFaults();
  });
});
