import { connect } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { family } from "../stores/contract/family.fixture.ts";
import { traceIdOf } from "../stores/contract/stored-span.fixture.ts";
import { QueryQueueFullError, QueryTimeoutError } from "../stores/query-lane.ts";
import { VERSION } from "../version.ts";
import type { TestPlatform } from "./testing/test-platform.fixture.ts";
import { startTestPlatform } from "./testing/test-platform.fixture.ts";

let platform: TestPlatform;
const TRACE = `/observability/traces/${traceIdOf(1)}/`;

beforeAll(async () => {
  platform = await startTestPlatform();
  await platform.append(family());
});
afterAll(() => platform.close());
afterEach(() => {
  vi.restoreAllMocks();
});

it("is healthy", async () => {
  for (const path of ["/health", "/health/"]) {
    expect((await platform.get(path)).json).toEqual({ status: "ok", version: VERSION });
  }
});

it("is not healthy any more once it ends, so that load balancers pass it over", async () => {
  const ending = await startTestPlatform();
  try {
    await ending.deployer.close();
    const health = await ending.get("/health");
    expect(health.status).toBe(503);
    expect(health.json.detail).toMatchObject([{ type: "shutting_down" }]);
  } finally {
    await ending.close();
  }
});

describe("a path that is not served", () => {
  it.each([
    "/nothing",
    "/observability",
    "/observability/",
    "//health",
    "/docs/x",
    "/V1/traces",
    "/%",
    "/%2e%2e/x",
  ])("%s is a 404", async (path) => {
    const response = await platform.get(path);
    expect(response.status).toBe(404);
    expect(response.json.detail).toMatchObject([{ type: "route_not_found" }]);
  });

  it("is not echoed at length", async () => {
    const response = await platform.get(`/${"x".repeat(5000)}`);
    expect(response.body.length).toBeLessThan(300);
  });
});

describe("a method that is not served", () => {
  it.each([
    ["POST", TRACE, "GET, HEAD, DELETE"],
    ["PUT", "/observability/traces", "GET, HEAD"],
    ["OPTIONS", "/observability/spans/a", "GET, HEAD"],
    ["GET", "/v1/traces", "POST"],
    ["HEAD", "/v1/traces/", "POST"],
    ["DELETE", "/health", "GET, HEAD"],
    ["PATCH", "/", "GET, HEAD"],
    ["POST", "/docs/init.js", "GET, HEAD"],
  ])("%s %s is a 405 that names what is", async (method, path, allow) => {
    const response = await platform.send({ method, path });
    expect(response.status).toBe(405);
    expect(response.headers.allow).toBe(allow);
    if (method !== "HEAD") {
      expect(response.json.detail).toMatchObject([{ type: "method_not_allowed", loc: ["method"] }]);
    }
  });
});

describe("the host guard", () => {
  const HERE = ["localhost", "LOCALHOST:80", "127.0.0.1:4100", "127.1.2.3", "[::1]", "[::1]:4100"];
  const ELSEWHERE = [
    "evil.example",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "10.0.0.1",
    "[::2]",
    "localhost:4100.evil.example",
  ];

  it.each(HERE)("serves Host: %s", async (host) => {
    for (const path of [TRACE, "/health"]) {
      const headers = { host, origin: `http://${host}` };
      expect((await platform.send({ path, headers })).status).toBe(200);
    }
  });

  it.each(ELSEWHERE)("refuses Host: %s", async (host) => {
    for (const path of [TRACE, "/health", "/nothing"]) {
      const response = await platform.send({ path, headers: { host } });
      expect([400, 403]).toContain(response.status);
      if (response.status === 403) {
        expect(response.json.detail).toMatchObject([
          { type: "host_not_allowed", loc: ["header", "host"] },
        ]);
      }
    }
  });

  it.each(["https://evil.example", "null", "http://localhost.evil.example", "file://", ""])(
    "refuses Origin: %s",
    async (origin) => {
      for (const request of [
        { path: TRACE },
        { path: TRACE, method: "DELETE" },
        { path: "/v1/traces", method: "POST" },
      ]) {
        const response = await platform.send({ ...request, headers: { origin } });
        expect(response.status).toBe(403);
        expect(response.json.detail).toMatchObject([
          { type: "origin_not_allowed", loc: ["header", "origin"] },
        ]);
      }
      expect((await platform.get(TRACE)).status).toBe(200);
    },
  );

  const ANALYTICS = "/observability/analytics/?group_by=user_id";
  const LINK = { "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };

  it("refuses what a page from another site makes a browser load, without an origin", async () => {
    for (const request of [
      { path: TRACE },
      { path: ANALYTICS },
      { path: "/services/shop/health" },
      { path: ANALYTICS, headers: LINK },
      { path: "/", headers: { ...LINK, "sec-fetch-dest": "iframe" } },
      { path: "/traces/", method: "POST", headers: LINK },
    ]) {
      const headers = { ...request.headers, "sec-fetch-site": "cross-site" };
      const response = await platform.send({ ...request, headers });
      expect(response.status).toBe(403);
      expect(response.json.detail).toMatchObject([
        { type: "origin_not_allowed", loc: ["header", "sec-fetch-site"] },
      ]);
    }
  });

  it("opens its page for a link on another site", async () => {
    for (const path of ["/", "/traces", "/traces/x?y=z", "/apps/shop/", "/playground?a", "/docs"]) {
      const headers = { ...LINK, "sec-fetch-site": "cross-site" };
      const { status } = await platform.send({ path, headers });
      // 404 where the page is not built.
      expect([200, 404]).toContain(status);
    }
  });

  it.each([
    ["same-origin", undefined],
    ["same-site", undefined],
    ["none", undefined],
    // Between localhost and 127.0.0.1, the origin decides.
    ["cross-site", "http://localhost:5173"],
  ])("serves Sec-Fetch-Site: %s with Origin: %s", async (site, origin) => {
    const headers = { "sec-fetch-site": site, ...(origin && { origin }) };
    expect((await platform.send({ path: TRACE, headers })).status).toBe(200);
    expect((await platform.send({ path: ANALYTICS, headers })).status).toBe(200);
  });
});

describe("a fault of the server", () => {
  it.each([TRACE, `${TRACE}?x`, "/observability/traces/"])(
    "at %s shows nothing of itself",
    async (path) => {
      const fault = new Error("SELECT secret FROM /home/ada");
      vi.spyOn(platform.store, "readTree").mockRejectedValue(fault);
      vi.spyOn(platform.store, "listTraces").mockRejectedValue(fault);
      const response = await platform.get(path);
      expect(response.status).toBe(500);
      expect(response.json.detail).toMatchObject([{ type: "internal_error" }]);
      expect(response.body.toString()).not.toMatch(/secret|ada|SELECT|http-app/);
      const logged = (await platform.logLines()).filter((line) => line.err !== undefined);
      expect(logged.at(-1)).toMatchObject({
        level: 50,
        err: { message: fault.message },
        method: "GET",
      });
    },
  );
});

describe("a query that takes too long", () => {
  it.each([
    [new QueryQueueFullError("full"), 503, "query_queue_full"],
    [new QueryTimeoutError(30_000), 504, "query_timeout"],
  ] as const)("is refused with %s", async (error, status, type) => {
    vi.spyOn(platform.store, "listTraces").mockRejectedValue(error);
    vi.spyOn(platform.store, "analytics").mockRejectedValue(error);
    for (const path of ["/observability/traces/", "/observability/analytics/"]) {
      const response = await platform.get(path);
      expect(response.status).toBe(status);
      expect(response.json.detail).toMatchObject([{ type }]);
      expect("retry-after" in response.headers).toBe(status === 503);
    }
  });

  it("is told when its client goes", async () => {
    const signal = Promise.withResolvers<AbortSignal>();
    vi.spyOn(platform.store, "analytics").mockImplementation((_, gone) => {
      signal.resolve(gone as AbortSignal);
      return new Promise(() => {});
    });
    const socket = connect(platform.server.port, "127.0.0.1");
    socket.write("GET /observability/analytics/ HTTP/1.1\r\nhost: localhost\r\n\r\n");
    const gone = await signal.promise;
    expect(gone.aborted).toBe(false);
    socket.destroy();
    await expect.poll(() => gone.aborted).toBe(true);
  });
});
