import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BaseModel } from "../config/base-model.ts";
import { createApp } from "./create-app.ts";

class NoConfig extends BaseModel {}

/** A platform that counts the requests with spans. */
let received = 0;
const platform = createServer((request, response) => {
  request.resume();
  request.on("end", () => {
    received += 1;
    response.writeHead(200, { "content-type": "application/x-protobuf" }).end();
  });
});

beforeAll(async () => {
  platform.listen(0, "127.0.0.1");
  await once(platform, "listening");
});
afterAll(() => {
  platform.close();
  platform.closeAllConnections();
});

async function call(accept: string) {
  received = 0;
  const { port } = platform.address() as AddressInfo;
  const app = createApp({ baseUrl: `http://127.0.0.1:${port}` });
  app.route(
    "/tell",
    NoConfig,
  )(async function* () {
    yield "once ";
    yield "upon";
  });
  const held: Promise<unknown>[] = [];
  const request = new Request("http://workflow.test/playground/run/tell", {
    method: "POST",
    headers: { "content-type": "application/json", accept },
    body: "{}",
  });
  const response = await app.fetch(request, {}, { waitUntil: (promise) => held.push(promise) });
  return { app, response, held };
}

describe("on a platform that freezes the process after an answer", () => {
  it("the spans are sent before it does", async () => {
    const { app, response, held } = await call("application/json");
    await response.text();
    await Promise.all(held);
    expect([received, app.telemetry.statistics().exported]).toEqual([1, 1]);
  });

  it("the span of a streamed call is sent after its last event", async () => {
    const { app, response, held } = await call("text/event-stream");
    expect(held).toHaveLength(1);
    const text = await response.text();
    expect(text).toContain("event: done");
    await Promise.all(held);
    expect([received, app.telemetry.statistics().exported]).toEqual([1, 1]);
  });

  it("a stream that nobody reads to its end holds it no longer than its client", async () => {
    const { app, response, held } = await call("text/event-stream");
    await response.body?.cancel();
    await Promise.all(held);
    expect(app.telemetry.statistics().exported).toBe(1);
  });
});
