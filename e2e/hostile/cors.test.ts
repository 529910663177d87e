import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DevProject, makeProject } from "../dev/dev-project.ts";
import { type RunningAgate, startAgate } from "../dev/running-agate.ts";
import { runAgate } from "../run-agate.ts";
import { openBrowser } from "../web/open-browser.ts";

// What a real browser lets pages of an allowed and of another origin do with a workflow, and with
// the platform around it.

const parts = new AsyncDisposableStack();
let project: DevProject;
let allowed: Page;
let foreign: Page;
let allowedOrigin: string;

beforeAll(async () => {
  project = parts.use(await makeProject());
  const browser: Browser = await openBrowser();
  parts.defer(() => browser.close());
  allowed = await openPage(browser);
  foreign = await openPage(browser);
  allowedOrigin = new URL(allowed.url()).origin;
});
afterAll(() => parts.disposeAsync());

/** An empty page with an origin of its own. */
async function openPage(browser: Browser): Promise<Page> {
  const server = createServer((_request, response) => {
    response.setHeader("content-type", "text/html").end("<!doctype html><title>Page</title>");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  parts.defer(() => void server.close());
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  return page;
}

/** What a script of the page gets of a request: status, a header and the text; or the error's name. */
function send(page: Page, url: string, body: unknown, headers: Record<string, string> = {}) {
  const init = {
    method: body === undefined ? "GET" : "POST",
    headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  };
  return page.evaluate(
    async ([address, options]) => {
      try {
        const answer = await fetch(address, options);
        const traced = answer.headers.has("traceparent");
        return { status: answer.status, traced, text: await answer.text() };
      } catch (error) {
        return (error as Error).name;
      }
    },
    [url, init] as const,
  );
}

const CALL = { inputs: { text: "Agate is a stone." } };

describe.each([
  ["dev", ["--no-typecheck"]],
  ["serve", []],
] as const)("agate %s --cors-origin", (command, flags) => {
  let agate: RunningAgate;
  beforeAll(async () => {
    const args = [command, "app.ts", "--port", "0", "--cors-origin", allowedOrigin, ...flags];
    agate = parts.use(await startAgate(args, { cwd: project.folder }));
  });

  it("lets its pages call the workflow, and read errors and streams", async () => {
    const headers = { authorization: "Bearer unused", accept: "text/event-stream, */*" };
    await expect
      .poll(() => send(allowed, `${agate.url}/playground/run`, CALL))
      .toMatchObject({ status: 200, traced: true, text: expect.stringContaining("trace_id") });
    const wrong = { config: { nothing: 1 } };
    expect(await send(allowed, `${agate.url}/playground/run`, wrong)).toMatchObject({
      status: 422,
      text: expect.stringContaining("nothing"),
    });
    expect(await send(allowed, `${agate.url}/run/nothing`, {}, headers)).toMatchObject({
      text: expect.stringContaining("detail"),
    });
  });

  it("lets no other page in", async () => {
    expect(await send(foreign, `${agate.url}/playground/run`, CALL)).toBe("TypeError");
    expect(await send(foreign, `${agate.url}/openapi.json`, undefined)).toBe("TypeError");
  });

  it.runIf(command === "dev")(
    "opens traces to its pages for sending, not for reading",
    async () => {
      const sent = await send(allowed, `${agate.url}/v1/traces`, { resourceSpans: [] });
      expect(sent).toMatchObject({ status: 200 });
      for (const path of ["/observability/traces/", "/registry/applications", "/session"]) {
        expect(await send(allowed, `${agate.url}${path}`, undefined)).toBe("TypeError");
      }
      expect(await send(allowed, `${agate.url}/registry/applications`, { slug: "x" })).toBe(
        "TypeError",
      );
      expect(await send(foreign, `${agate.url}/v1/traces`, { resourceSpans: [] })).toBe(
        "TypeError",
      );
    },
  );
});

it("refuses what is no origin, and every page where no key is needed", async () => {
  const wrong = await runAgate(["server", "--cors-origin", "https://app.example/"]);
  expect([wrong.code, wrong.stderr]).toEqual([
    2,
    expect.stringContaining("Write https://app.example."),
  ]);
  const every = await runAgate(["server", "--port", "0", "--cors-origin", "*"], {
    cwd: project.folder,
  });
  expect([every.code, every.stderr]).toEqual([
    1,
    expect.stringMatching(/every page.*--require-key/),
  ]);
});
