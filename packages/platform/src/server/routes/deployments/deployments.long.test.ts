import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openEventStream } from "../../testing/event-stream.fixture.ts";
import type { TestPlatform } from "../../testing/test-platform.fixture.ts";
import { startTestPlatform } from "../../testing/test-platform.fixture.ts";
import { sendJson } from "../registry/testing/registry-client.fixture.ts";
import {
  activate,
  at,
  buildsOf,
  callService,
  deploy,
  takeDown,
  workflow,
} from "./testing/deploying.fixture.ts";

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.close());

it("gives a build's files to download, and says where it has none", async () => {
  await deploy(platform, "packed", workflow("first"));
  const { status, headers, body } = await platform.get(at("packed", "/builds/1/archive"));
  expect([status, headers["content-type"]]).toEqual([200, "application/gzip"]);
  const again = await platform.send({
    method: "POST",
    path: at("unpacked", "/builds?environment=production"),
    headers: { "content-type": "application/gzip" },
    body,
  });
  expect(again.status).toBe(201);
  expect(await callService(platform, "unpacked")).toEqual({ status: 200, text: "first" });
  const { json: build } = await platform.get(at("packed", "/builds/1"));
  expect(again.json.build.manifest_sha256).toBe(build.manifest_sha256);

  const refused = await deploy(platform, "packed", "}");
  expect(refused.status).toBe(422);
  const none = await platform.get(at("packed", "/builds/2/archive"));
  expect([none.status, none.json.detail[0].type]).toEqual([404, "build_not_found"]);
});

it("starts the live build anew when it is activated", async () => {
  const handle = "response.end(String(process.pid));";
  await deploy(platform, "again", workflow("", { handle }));
  const { text: before } = await callService(platform, "again");
  expect((await activate(platform, "again", 1)).status).toBe(200);
  const { text: after } = await callService(platform, "again");
  expect(after).toMatch(/^\d+$/);
  expect(after).not.toBe(before);
});

it("makes a configuration live together with the build", async () => {
  const query = { variant: "careful", message: "Try" };
  const { json } = await deploy(platform, "target", workflow("x"), query);
  expect(json.deployment).toMatchObject({
    environment: "production",
    variant: { slug: "careful", revision: 1 },
    message: "Try",
    deployed_by: "local",
  });
  const wrong = await deploy(platform, "target", workflow("y"), { environment: "prod" });
  expect(wrong.status).toBe(404);
  expect(wrong.json.detail[0]).toMatchObject({
    type: "environment_not_found",
    loc: ["query", "environment"],
  });
  expect(await callService(platform, "target")).toMatchObject({ text: "x" });
});

it("deploys one after the other what comes at once, and the last one serves", async () => {
  const words = ["a", "b", "c", "d"];
  const responses = await Promise.all(
    words.map((word) => deploy(platform, "crowded", workflow(word))),
  );
  expect(responses.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
  const numbers = responses.map(({ json }) => json.build.number as number);
  expect(numbers.toSorted()).toEqual([1, 2, 3, 4]);
  const { items: history } = (await platform.get(at("crowded", "/deployments"))).json;
  const last: number = history[0].build.number;
  const builds: { number: number; status: string }[] = await buildsOf(platform, "crowded");
  expect(builds.map(({ number, status }) => [number, status])).toEqual(
    [4, 3, 2, 1].map((number) => [number, number === last ? "live" : "retired"]),
  );
  expect((await callService(platform, "crowded")).text).toBe(words[numbers.indexOf(last)]);
});

it("follows a rename at once, and stamps the new name", async () => {
  const handle = "response.end(process.env.AGATE_APPLICATION);";
  await deploy(platform, "old-name", workflow("", { handle }));
  expect((await callService(platform, "old-name")).text).toBe("old-name");
  expect((await sendJson(platform, "PATCH", at("old-name"), { slug: "new-name" })).status).toBe(
    200,
  );
  await expect.poll(async () => (await callService(platform, "new-name")).status).toBe(200);
  expect(await callService(platform, "old-name")).toMatchObject({ status: 404 });
  await expect.poll(async () => (await callService(platform, "new-name")).text).toBe("new-name");
});

it("removes what belongs to an application that was deleted", async () => {
  const { json } = await deploy(platform, "gone", workflow("x"));
  const files = async (folder: string) => readdir(join(platform.dataDirectory, folder));
  expect(await files("builds")).toContain(json.build.id);
  const refused = await platform.send({ method: "DELETE", path: at("gone") });
  expect(refused.json.detail[0].type).toBe("still_live");
  await takeDown(platform, "gone");
  expect((await platform.send({ method: "DELETE", path: at("gone") })).status).toBe(204);
  await deploy(platform, "gone-after", workflow("y"));
  await expect.poll(() => files("builds")).not.toContain(json.build.id);
  await expect.poll(() => files("logs")).not.toContain(json.application.id);
});

it("ends the stream of a log and turns calls away when the platform stops", async () => {
  const stopping = await startTestPlatform();
  try {
    const handle = "response.write('begun'); setTimeout(() => response.end(' and ended'), 300);";
    await deploy(stopping, "ending", workflow("", { handle }));
    const follow = await fetch(`${stopping.server.url}${at("ending", "/logs?follow=true")}`);
    const log = follow.text();
    const call = await fetch(`${stopping.server.url}/services/ending/run/x`);
    const events = await openEventStream(stopping.server.port, "/observability/live/");
    const closed = stopping.deployer.close();
    const refused = await fetch(`${stopping.server.url}/services/ending/run/x`);
    expect(refused.status).toBe(503);
    expect(((await refused.json()) as { detail: unknown[] }).detail).toMatchObject([
      { type: "shutting_down" },
    ]);
    expect(await call.text()).toBe("begun and ended");
    expect(await log).toContain("Stopped.");
    await closed;
    // Balancers are to send nothing more; the rest still answers: it takes the last spans of builds.
    expect((await stopping.get("/health")).status).toBe(503);
    expect((await stopping.get("/observability/traces/")).status).toBe(200);
    const late = await deploy(stopping, "ending", workflow("x"));
    expect(late.status).toBe(503);
    events.close();
  } finally {
    await stopping.close();
  }
});
