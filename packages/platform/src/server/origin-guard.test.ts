import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deploy, workflow } from "./routes/deployments/testing/deploying.fixture.ts";
import type { TestResponse } from "./testing/send-request.fixture.ts";
import { sendRequest } from "./testing/send-request.fixture.ts";
import type { TestPlatform } from "./testing/test-platform.fixture.ts";
import { startTestPlatform } from "./testing/test-platform.fixture.ts";

const PAGE = "https://app.example";
const CALL = "/services/desk/run/say";

/** A workflow that allows every origin in its own headers, and streams. */
const OPEN = `
  response.writeHead(200, {
    "content-type": "text/event-stream",
    "Access-Control-Allow-Origin": "*",
    "access-control-allow-credentials": "true",
    "Vary": "Accept",
    "traceparent": "00-0123456789abcdef0123456789abcdef-0123456789abcdef-01",
  });
  response.end("event: done\\n\\n");`;

const NOTHING_SENT = JSON.stringify({ resourceSpans: [] });

function call(platform: TestPlatform, path: string, headers: Record<string, string>) {
  const body = path.startsWith("/v1/") ? NOTHING_SENT : "{}";
  const type = { "content-type": "application/json" };
  const request = { method: "POST", path, headers: { ...type, ...headers }, body };
  return sendRequest(platform.server.port, request);
}

function preflight(platform: TestPlatform, path: string, headers: Record<string, string>) {
  return sendRequest(platform.server.port, {
    method: "OPTIONS",
    path,
    headers: { "access-control-request-method": "POST", ...headers },
  });
}

/** What a browser decides by. */
function corsOf({ headers }: TestResponse) {
  const named = Object.entries(headers).filter(([name]) => name.startsWith("access-control-"));
  const short = named.map(([name, value]) => [name.replace(/^access-control-/, ""), value]);
  return { ...Object.fromEntries(short), vary: headers.vary };
}

const READABLE = { "allow-origin": PAGE, "expose-headers": "*" };

describe("a server without keys that one origin may call", () => {
  let platform: TestPlatform;
  beforeAll(async () => {
    platform = await startTestPlatform({ corsOrigins: [PAGE], rootApplication: "desk" });
    expect((await deploy(platform, "desk", workflow("", { handle: OPEN }))).status).toBe(201);
  });
  afterAll(() => platform.close());

  it.each([
    CALL,
    "/run/say",
    "/services/desk/health",
    "/v1/traces",
    "/v1/traces/?x=1",
    "/v1/logs",
    "/api/public/otel/v1/traces",
    "/otel/v1/logs",
    "/v1/metrics",
    "/observability/scores/",
  ])("answers its preflight for %s", async (path) => {
    const answer = await preflight(platform, path, { origin: PAGE });
    expect(answer.status).toBe(204);
    expect(corsOf(answer)).toEqual({
      ...READABLE,
      "allow-methods": "GET, HEAD, POST",
      "allow-headers": expect.stringContaining("authorization, content-type"),
      "max-age": "600",
      vary: "Origin",
    });
  });

  it("lets it call workflows and send traces, and read what comes back", async () => {
    const site = { origin: PAGE, "sec-fetch-site": "cross-site" };
    const called = await call(platform, CALL, site);
    expect([called.status, called.body.toString()]).toEqual([200, "event: done\n\n"]);
    // The server decides, not the workflow behind it.
    expect(corsOf(called)).toEqual({ ...READABLE, vary: "Accept, Origin" });
    const sent = await call(platform, "/v1/traces", site);
    expect([sent.status, corsOf(sent)]).toEqual([200, { ...READABLE, vary: "Origin" }]);
    const judged = await call(platform, "/observability/scores/", site);
    expect([judged.status, corsOf(judged)]).toEqual([422, { ...READABLE, vary: "Origin" }]);
    const missing = await call(platform, "/services/nothing/run", site);
    expect([missing.status, corsOf(missing)]).toEqual([404, { ...READABLE, vary: "Origin" }]);
  });

  it.each([
    "/registry/applications",
    "/observability/traces/",
    "/registry/applications/desk/builds",
    "/v1/traces/x",
    "/v1/logs/x",
    "/api/v1/traces",
    "/observability/scores/x",
    "/observability/analytics/scores/",
    "/session",
    "/",
  ])("keeps %s closed", async (path) => {
    for (const answer of [
      await preflight(platform, path, { origin: PAGE }),
      await call(platform, path, { origin: PAGE }),
    ]) {
      expect(answer.status).toBe(403);
      expect(answer.json.detail[0].type).toBe("origin_not_allowed");
      expect(answer.headers["access-control-allow-origin"]).toBeUndefined();
    }
  });

  it.each(["https://evil.example", "http://app.example", "null", "http://localhost:3000"])(
    "refuses the page of %s",
    async (origin) => {
      for (const path of [CALL, "/v1/traces", "/v1/logs", "/observability/scores/"]) {
        for (const answer of [
          await preflight(platform, path, { origin }),
          await call(platform, path, { origin }),
        ]) {
          expect(answer.status).toBeGreaterThanOrEqual(400);
          expect(answer.headers["access-control-allow-origin"]).toBeUndefined();
          expect(answer.headers.vary).toBe("Origin");
        }
      }
    },
  );

  it("refuses an allowed page under a name that is not this machine's", async () => {
    for (const answer of [
      await preflight(platform, CALL, { origin: PAGE, host: "evil.example" }),
      await call(platform, CALL, { origin: PAGE, host: "evil.example" }),
    ]) {
      expect([answer.status, answer.json.detail[0].type]).toEqual([403, "host_not_allowed"]);
      expect(answer.headers["access-control-allow-origin"]).toBeUndefined();
    }
  });

  it("serves programs as before", async () => {
    expect((await call(platform, CALL, {})).status).toBe(200);
    const options = await platform.send({ method: "OPTIONS", path: "/v1/traces" });
    expect(options.status).toBe(405);
  });
});

describe("a server with keys that every page may call", () => {
  let platform: TestPlatform;
  beforeAll(async () => {
    platform = await startTestPlatform({ policy: "keys", corsOrigins: ["*"] });
  });
  afterAll(() => platform.close());

  it("asks for the key, and lets the page read that it did", async () => {
    const { key } = await platform.access.keys.create("default", {
      name: "page",
      scopes: ["ingest"],
    });
    const ask = await preflight(platform, "/v1/traces", { origin: "https://any.example" });
    expect([ask.status, ask.headers["access-control-allow-origin"]]).toEqual([204, "*"]);
    const without = await call(platform, "/v1/traces", { origin: "https://any.example" });
    expect([without.status, corsOf(without)]).toEqual([
      401,
      { "allow-origin": "*", "expose-headers": "*", vary: undefined },
    ]);
    const sent = await call(platform, "/v1/traces", {
      origin: "https://any.example",
      authorization: `Bearer ${key}`,
    });
    expect(sent.status).toBe(200);
    // What the key may not, no page may.
    const services = await call(platform, CALL, {
      origin: "https://any.example",
      authorization: `Bearer ${key}`,
    });
    expect(services.status).toBe(403);
  });
});

it("has no such headers where no origin is allowed", async () => {
  const platform = await startTestPlatform();
  try {
    const answer = await call(platform, "/v1/traces", {});
    expect(corsOf(answer)).toEqual({ vary: undefined });
  } finally {
    await platform.close();
  }
});
