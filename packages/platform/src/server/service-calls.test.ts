import { afterAll, beforeAll, expect, it } from "vitest";
import { deploy, workflow } from "./routes/deployments/testing/deploying.fixture.ts";
import { serviceTarget } from "./service-calls.ts";
import { openEventStream } from "./testing/event-stream.fixture.ts";
import type { TestPlatform } from "./testing/test-platform.fixture.ts";
import { startTestPlatform } from "./testing/test-platform.fixture.ts";

/** Answers with the first event of a stream that never ends. */
const ENDLESS = `
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write("event: chunk\\ndata: 1\\n\\n");`;

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.close());

it("breaks off a call when the key that it was made with is revoked", async () => {
  expect((await deploy(platform, "endless", workflow("", { handle: ENDLESS }))).status).toBe(201);
  const key = await platform.access.keys.create("default", { name: "ci", scopes: ["run"] });
  const stream = await openEventStream(platform.server.port, "/services/endless/run", {
    authorization: `Bearer ${key.key}`,
  });
  expect(await stream.next()).toEqual({ event: "chunk", data: 1 });
  await platform.access.keys.revoke("default", key.id);
  await expect(stream.next()).rejects.toMatchObject({ code: "ECONNRESET" });
});

it.each([
  ["/services/support/run/summarize?x=1", "support", "/run/summarize?x=1"],
  ["/services/support/run/", "support", "/run/"],
  ["/services/support", "support", "/"],
  ["/services/support?x=/y", "support", "/?x=/y"],
  ["/services/support/", "support", "/"],
  ["/services/%73upport/a%2Fb", "support", "/a%2Fb"],
  ["/services/100%/run", "100%", "/run"],
  ["/services/support//run/../x", "support", "//run/../x"],
])("%s is for %s, as %s", (target, application, path) => {
  expect(serviceTarget(target, null)).toEqual({ application, path });
});

it.each(["/services", "/services/", "/services//run", "/servicesx/a", "/run", "/generate", "/"])(
  "%s is for no service",
  (target) => {
    expect(serviceTarget(target, null)).toBeUndefined();
  },
);

it.each([
  "/run",
  "/run/",
  "/run/summarize?x=1",
  "/playground/run",
  "/playground/run/a/b",
  "/generate",
  "/generate/",
  "/generate_deployed?x=1",
])("%s is for the root application as it is", (target) => {
  expect(serviceTarget(target, "support")).toEqual({ application: "support", path: target });
});

it.each(["/", "/running", "/generated", "/generate/x", "/playground", "/health", "/openapi.json"])(
  "%s stays the platform's, with a root application too",
  (target) => {
    expect(serviceTarget(target, "support")).toBeUndefined();
  },
);
