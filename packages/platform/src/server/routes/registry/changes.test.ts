import { once } from "node:events";
import { get } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { EventStream } from "../../testing/event-stream.fixture.ts";
import { openEventStream } from "../../testing/event-stream.fixture.ts";
import type { TestPlatform } from "../../testing/test-platform.fixture.ts";
import { startTestPlatform } from "../../testing/test-platform.fixture.ts";
import { APPLICATIONS, faults, makeApplication } from "./testing/registry-client.fixture.ts";

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.close());

function changesOf(application: string): Promise<EventStream> {
  return openEventStream(platform.server.port, `${APPLICATIONS}/${application}/changes`);
}

const EVENT = { event: "config", data: {} };

describe("the stream of changes", () => {
  it("is there at once, and is not to be buffered", async () => {
    const { slug } = await makeApplication(platform);
    const { port } = platform.server;
    const request = get({ port, path: `${APPLICATIONS}/${slug}/changes/`, agent: false });
    const [response] = await once(request, "response");
    expect(response.headers).toMatchObject({
      "content-type": "text/event-stream",
      "cache-control": "no-cache, no-transform",
      "x-accel-buffering": "no",
    });
    const [first] = await once(response, "data");
    expect(first.toString()).toBe(": connected\n\n");
    request.destroy();
  });

  it("announces every change of a resolved configuration, and the next answer has it", async () => {
    const app = await makeApplication(platform);
    await app.commit({ "/": { n: 1 } });
    await app.deploy("production");
    await app.deploy("staging");
    const stream = await changesOf(app.slug);
    const changes: [string, string, object?][] = [
      ["POST", "/environments/production/deployments", { variant: "default" }],
      ["POST", "/variants/default/revisions", { params: { "/": { n: 2 } }, base_revision: 1 }],
      ["POST", "/environments/production/deployments", { variant: "default" }],
      ["POST", "/environments/staging/promote", { from: "production" }],
      ["POST", "/environments/production/rollback", {}],
      ["DELETE", "/environments/production/deployment"],
      ["POST", "/environments", { slug: "preview" }],
      ["PATCH", "/environments/preview", { slug: "review" }],
      ["DELETE", "/environments/review"],
      ["POST", "/variants/default/fork", { slug: "forked" }],
      ["PATCH", "/variants/forked", { slug: "other" }],
      ["DELETE", "/variants/other"],
    ];
    const seen: unknown[] = [];
    for (const [method, path, body] of changes) {
      expect((await app.call(method, path, body)).status).toBeLessThan(300);
      expect(await stream.next(), `${method} ${path}`).toEqual(EVENT);
      seen.push((await app.get("/config?environment=production")).json.params?.["/"].n);
    }
    expect(seen).toEqual([1, 1, 2, 2, 1, ...Array(7).fill(undefined)]);
    stream.close();
  });

  it("ends when the application is deleted", async () => {
    const app = await makeApplication(platform);
    const stream = await changesOf(app.slug);
    await app.call("DELETE", "");
    expect(await stream.next()).toEqual(EVENT);
    expect(await stream.next()).toBeUndefined();
    expect(stream.response.complete).toBe(true);
  });

  it("ends for who called it by the slug that it had, and goes on for who uses its id", async () => {
    const app = await makeApplication(platform);
    const { id } = (await app.get("")).json;
    const [bySlug, byId] = [await changesOf(app.slug), await changesOf(id)];
    await app.call("PATCH", "", { slug: `${app.slug}-renamed` });
    expect(await bySlug.next()).toEqual(EVENT);
    expect(await bySlug.next()).toBeUndefined();
    expect(await byId.next()).toEqual(EVENT);
    await platform.send({
      method: "POST",
      path: `${APPLICATIONS}/${id}/environments`,
      headers: { "content-type": "application/json" },
      body: '{"slug": "preview"}',
    });
    expect(await byId.next()).toEqual(EVENT);
    byId.close();
  });

  it("is not there for what is not", async () => {
    const response = await platform.get(`${APPLICATIONS}/nowhere/changes`);
    expect(faults(response)).toEqual([404, ["application_not_found", "path", "app"]]);
  });

  it("has headers alone for HEAD", async () => {
    const { slug } = await makeApplication(platform);
    const path = `${APPLICATIONS}/${slug}/changes`;
    const response = await platform.send({ method: "HEAD", path });
    expect(response.status).toBe(200);
    expect(response.headers["content-type"]).toBe("text/event-stream");
  });

  it("ends with the server, which opens no more", async () => {
    const ending = await startTestPlatform();
    try {
      const { slug } = await makeApplication(ending);
      const path = `${APPLICATIONS}/${slug}/changes`;
      const stream = await openEventStream(ending.server.port, path);
      ending.app.close();
      expect(await stream.next()).toBeUndefined();
      const late = await ending.get(path);
      expect(late.status).toBe(503);
      expect(late.headers["retry-after"]).toBe("5");
      expect(late.json.detail).toMatchObject([{ type: "shutting_down" }]);
    } finally {
      await ending.close();
    }
  });
});
