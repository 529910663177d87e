import { afterAll, beforeAll, expect, it } from "vitest";
import { deploy, workflow } from "./routes/deployments/testing/deploying.fixture.ts";
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
