import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deploy, workflow } from "../routes/deployments/testing/deploying.fixture.ts";
import { sendRequest } from "../testing/send-request.fixture.ts";
import type { TestPlatform } from "../testing/test-platform.fixture.ts";
import { startTestPlatform, TEST_PROJECT } from "../testing/test-platform.fixture.ts";
import type { BuiltPage } from "./testing/built-page.fixture.ts";
import { ASSETS, writePage } from "./testing/built-page.fixture.ts";

let page: BuiltPage;
let platform: TestPlatform;
beforeAll(async () => {
  page = await writePage();
  platform = await startTestPlatform({
    pageFolder: page.folder,
    rootApplication: "support",
    // The answers to GET and HEAD must be the same on a slow machine, too.
    pageWaitMs: 60_000,
  });
});
afterAll(async () => {
  await platform.close();
  await page[Symbol.asyncDispose]();
});

/** Not checked against the description, which does not list the paths of the page. */
function get(path: string, headers: Record<string, string> = {}) {
  return sendRequest(platform.server.port, { path, headers });
}

const PATHS = [
  "/",
  "/traces",
  "/traces/",
  "/traces?q=a",
  "/traces/5b8efff798038103d269b633813fc60c",
  "/apps",
  "/apps/support/playground?route=%2F",
  "/apps/support/variants/default",
  "/apps/a%2Fb",
  "/settings/keys",
  "/settings/redaction",
  "/playground",
  "/dashboard/",
];

describe("a path of the page", () => {
  it.each(PATHS)("%s is its document, with HEAD too", async (path) => {
    const { status, headers, body } = await get(path);
    expect(status).toBe(200);
    expect(headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(headers["cache-control"]).toBe("no-store");
    expect(body.toString()).toMatch(/^<!doctype html>/);
    const head = await sendRequest(platform.server.port, { method: "HEAD", path });
    expect(head.status).toBe(200);
    expect(head.body).toHaveLength(0);
    expect(head.headers["content-length"]).toBe(headers["content-length"]);
  });

  it("is the page for GET and HEAD only, and a 405 otherwise", async () => {
    for (const path of ["/", "/traces", "/traces/x", "/apps/support"]) {
      const { status, headers } = await sendRequest(platform.server.port, { method: "POST", path });
      expect([status, headers.allow], path).toEqual([405, "GET, HEAD"]);
    }
  });

  it("leaves the workflow's paths beside it to the workflow", async () => {
    expect((await deploy(platform, "support", workflow("an answer"))).status).toBe(201);
    const ref = { project: TEST_PROJECT, application: "support" };
    await platform.registry.environments.setPlayground(ref, "production", true);
    for (const path of ["/run", "/playground/run", "/playground/run/x", "/generate"]) {
      const answer = await sendRequest(platform.server.port, { method: "POST", path });
      expect(answer.body.toString(), path).toBe("an answer");
    }
    expect((await get("/playground")).headers["content-type"]).toMatch(/^text\/html/);
  });

  it.each(["/trace", "/tracesx", "/app", "/playgrounds", "/dashboard/x", "/index.html", "/web/"])(
    "is not %s: that is a 404 for programs",
    async (path) => {
      const { status, json } = await get(path);
      expect(status).toBe(404);
      expect(json.detail).toMatchObject([{ type: "route_not_found" }]);
    },
  );
});

describe("the policy of the page", () => {
  it("runs what this server serves and nothing that is written into it", async () => {
    const { headers } = await platform.get("/");
    const policy = new Map(
      String(headers["content-security-policy"])
        .split("; ")
        .map((directive) => [directive.split(" ")[0], directive.split(" ").slice(1)]),
    );
    expect(policy.get("default-src")).toEqual(["'none'"]);
    expect(policy.get("script-src")).toEqual(["'self'", "'sha256-of-a-script'"]);
    expect(policy.get("connect-src")).toEqual(["'self'"]);
    expect(policy.get("frame-ancestors")).toEqual(["'none'"]);
    expect(JSON.stringify([...policy])).not.toMatch(/unsafe|https?:|\*/);
    expect(headers["referrer-policy"]).toBe("no-referrer");
    expect(headers["cross-origin-opener-policy"]).toBe("same-origin");
  });

  it("has a new nonce for each answer, the same in the page and in its header", async () => {
    const nonces = new Set<string>();
    for (let n = 0; n < 3; n++) {
      const { headers, body } = await platform.get("/");
      const [nonce = "", ...others] = [...body.toString().matchAll(/nonce="([\w-]{20,})"/g)].map(
        ([, each = ""]) => each,
      );
      expect(others).toEqual([nonce]);
      expect(headers["content-security-policy"]).toContain(`style-src 'self' 'nonce-${nonce}';`);
      nonces.add(nonce);
    }
    expect(nonces.size).toBe(3);
  });
});

it("names the scripts of the page that is opened, so that they are loaded at once", async () => {
  const link = '<link rel="modulepreload" crossorigin href="/assets/init.js">';
  for (const path of ["/traces", "/traces/", "/traces?status=ERROR"]) {
    expect((await get(path)).body.toString(), path).toContain(link);
  }
  for (const path of ["/", "/traces/x", "/apps"]) {
    expect((await get(path)).body.toString(), path).not.toContain(link);
  }
});

describe("a file of the page", () => {
  it.each([
    ["br", "br", brotliDecompressSync],
    ["gzip, deflate", "gzip", gunzipSync],
    ["deflate", undefined, (body: Buffer) => body],
  ] as const)("comes compressed as %s allows, to be kept", async (accepted, encoding, unpack) => {
    const path = "/assets/init.js";
    const { status, headers, body } = await platform.send({
      path,
      headers: { "accept-encoding": accepted },
    });
    expect(status).toBe(200);
    expect(unpack(body).toString()).toBe(ASSETS["init.js"]);
    expect(headers).toMatchObject({
      "content-type": "text/javascript; charset=utf-8",
      "cache-control": "public, max-age=31536000, immutable",
      vary: "accept-encoding",
    });
    expect(headers["content-encoding"]).toBe(encoding);
    const head = await sendRequest(platform.server.port, {
      method: "HEAD",
      path,
      headers: { "accept-encoding": accepted },
    });
    expect(head.headers["content-length"]).toBe(String(body.length));
  });

  it("is sent as it is where compressing gains nothing", async () => {
    const { headers, body } = await platform.send({
      path: "/assets/mono.woff2",
      headers: { "accept-encoding": "br" },
    });
    expect(body.toString()).toBe(ASSETS["mono.woff2"]);
    expect(headers).not.toHaveProperty("content-encoding");
    expect(headers).not.toHaveProperty("vary");
  });

  it.each([
    "nothing.js",
    "unlisted.js",
    "init.js.br",
    "../manifest.json",
    "..%2Fmanifest.json",
    "..%2F..%2Fsecret.js",
    "%2e%2e%2f%2e%2e%2fsecret.js",
    "..%5C..%5Csecret.js",
    "init.js%00.css",
    "__proto__",
    "constructor.js",
    "%",
  ])("is not %s: only what was built for the page is served", async (name) => {
    const { status, json } = await get(`/assets/${name}`);
    expect(status).toBe(404);
    expect(json.detail).toMatchObject([{ type: "route_not_found" }]);
  });
});

it("says how to build the page, where the server runs from source", async () => {
  const source = await startTestPlatform();
  const { status, json } = await source.get("/");
  const asset = await source.get("/assets/init.js");
  await source.close();
  expect(status).toBe(404);
  expect(json.detail[0].msg).toContain("npm run build");
  expect(asset.status).toBe(404);
});
