import { once } from "node:events";
import { request } from "node:http";
import { afterAll, beforeAll, expect, it } from "vitest";
import { buildArchive } from "../../../deployments/builds/testing/build-archive.fixture.ts";
import type { TestPlatform } from "../../testing/test-platform.fixture.ts";
import { startTestPlatform } from "../../testing/test-platform.fixture.ts";
import {
  activate,
  at,
  buildsOf,
  callService,
  deploy,
  logsOf,
  takeDown,
  workflow,
} from "./testing/deploying.fixture.ts";

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.close());

it("serves what was deployed, what was deployed after it, and what is activated again", async () => {
  expect(await callService(platform, "one")).toMatchObject({ status: 404 });
  const first = await deploy(platform, "one", workflow("first"), { message: "Hello" });
  expect(first.status).toBe(201);
  expect(first.headers.location).toBe("/registry/applications/one/builds/1");
  expect(first.json).toMatchObject({
    application: { slug: "one" },
    build: {
      number: 1,
      kind: "hosted",
      status: "live",
      environments: ["production"],
      routes: ["/summarize"],
      message: "Hello",
      refusal: null,
    },
    deployment: {
      environment: "production",
      build: { id: first.json.build.id, number: 1, kind: "hosted" },
      variant: { slug: "default", revision: 1 },
    },
    notes: [],
  });
  expect(await callService(platform, "one")).toEqual({ status: 200, text: "first" });
  expect(await callService(platform, first.json.application.id)).toMatchObject({ status: 200 });

  expect((await deploy(platform, "one", workflow("second"))).json.build.number).toBe(2);
  expect(await callService(platform, "one")).toEqual({ status: 200, text: "second" });
  expect((await buildsOf(platform, "one")).map(({ status }: { status: string }) => status)).toEqual(
    ["live", "retired"],
  );

  const back = await activate(platform, "one", 1, { message: "Back" });
  expect(back.status).toBe(200);
  expect(back.json.build).toMatchObject({ number: 1, status: "live" });
  expect(await callService(platform, "one")).toEqual({ status: 200, text: "first" });
  expect((await platform.get(at("one", "/builds/2"))).json.status).toBe("retired");
  expect((await platform.get(at("one"))).json.build).toBe(1);
  expect((await logsOf(platform, "one")).map(({ line }) => line)).toContain(
    "Deployed by local: Back",
  );
});

it("stops serving, and serves again", async () => {
  await deploy(platform, "stopped", workflow("here"));
  expect((await takeDown(platform, "stopped")).status).toBe(204);
  const { status, text } = await callService(platform, "stopped");
  expect(status).toBe(404);
  expect(JSON.parse(text).detail[0]).toMatchObject({
    type: "service_not_found",
    msg: "No build serves stopped in production. Deploy one: agate deploy app.ts --app stopped --environment production.",
  });
  expect((await takeDown(platform, "stopped")).json.detail[0].type).toBe("deployment_not_found");
  expect((await activate(platform, "stopped", 1)).status).toBe(200);
  expect(await callService(platform, "stopped")).toEqual({ status: 200, text: "here" });
});

it("tells the steps as they happen", async () => {
  const body = await buildArchive({
    files: { "app.js": workflow("x"), "package.json": '{"type":"module"}' },
  });
  const response = await fetch(`${platform.server.url}${at("steps", "/builds")}`, {
    method: "POST",
    headers: { "content-type": "application/gzip", accept: "text/event-stream" },
    body,
  });
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  const events = eventsIn(await response.text());
  const steps = ["unpack", "install", "start", "check", "switch", "drain"];
  expect(
    events.map(({ event, data }) => `${event} ${data.step ?? ""} ${data.state ?? ""}`),
  ).toEqual([
    ...steps.flatMap((step) => [`step ${step} begun`, `step ${step} done`]),
    "deployed  ",
  ]);
  const done = Object.fromEntries(
    events.filter(({ data }) => data.state === "done").map(({ data }) => [data.step, data.detail]),
  );
  expect(done).toMatchObject({ unpack: "2 files", install: "nothing to install" });
  expect(done.start).toMatch(/^\d+\.\d s$/);
  expect(events.at(-1)?.data.build.number).toBe(1);

  const again = await fetch(`${platform.server.url}${at("steps", "/builds")}`, {
    method: "POST",
    headers: { "content-type": "application/gzip", accept: "text/event-stream" },
    body: await buildArchive({ files: { "app.js": "console.error('oh'); process.exit(3);" } }),
  });
  const last = eventsIn(await again.text()).at(-1);
  expect(last).toMatchObject({
    event: "refused",
    data: { status: 422, detail: [{ type: "build_unusable" }], log: ["oh"] },
  });
});

// biome-ignore lint/suspicious/noExplicitAny: tests look into data of every shape
function eventsIn(text: string): { event: string; data: any }[] {
  return [...text.matchAll(/^event: (\w+)\ndata: (.*)$/gm)].map(([, event = "", data = ""]) => ({
    event,
    data: JSON.parse(data),
  }));
}

it("finishes a deploy whose client has gone", async () => {
  const body = await buildArchive({
    files: { "app.js": workflow("unwatched"), "package.json": '{"type":"module"}' },
  });
  const { port } = platform.server;
  const sent = request({
    port,
    method: "POST",
    path: at("unwatched", "/builds?environment=production"),
    headers: { "content-type": "application/gzip", accept: "text/event-stream" },
  });
  sent.end(body);
  const [response] = await once(sent, "response");
  response.destroy();
  await expect
    .poll(() => callService(platform, "unwatched"))
    .toEqual({ status: 200, text: "unwatched" });
});

it("restarts a crashed build, and records it in the log", async () => {
  const handle =
    "if (request.url === '/crash') process.exit(7); response.end(String(process.pid));";
  await deploy(platform, "shaky", workflow("", { handle }));
  const { text: pid } = await callService(platform, "shaky");
  const crash = await fetch(`${platform.server.url}/services/shaky/crash`);
  expect(crash.status).toBe(502);
  expect(((await crash.json()) as { detail: unknown[] }).detail).toMatchObject([
    { type: "service_failed" },
  ]);
  const again = await callService(platform, "shaky");
  expect(again.status).toBe(200);
  expect(again.text).not.toBe(pid);
  await expect
    .poll(async () => (await logsOf(platform, "shaky")).map(({ line }) => line))
    .toContainEqual(expect.stringMatching(/^Crashed\. .* Restarting/));
});

it("shows the lines of the program that agate dev runs as those of build 0", async () => {
  const { json } = await deploy(platform, "in-dev", workflow("x", { before: "console.log('1');" }));
  const time = new Date().toISOString();
  const line = { time, build: 0, environment: null, stream: "stdout", line: "in dev" } as const;
  platform.deployer.addLine(json.application.id, line);
  expect(await logsOf(platform, "in-dev", "?build=0")).toEqual([line]);
  expect((await logsOf(platform, "in-dev", "?build=1")).map(({ line }) => line)).not.toContain(
    "in dev",
  );
});

it("shows the last lines, those of one build, and new ones as they come", async () => {
  const handle = "console.log('called'); response.end('x');";
  await deploy(platform, "talking", workflow("", { handle, before: "console.error('hello');" }));
  const first = await logsOf(platform, "talking");
  expect(first).toContainEqual({
    time: expect.stringMatching(/^2\d{3}-.*Z$/),
    build: 1,
    environment: "production",
    stream: "stderr",
    line: "hello",
  });
  expect(await logsOf(platform, "talking", "?tail=1")).toEqual(first.slice(-1));
  expect(await logsOf(platform, "talking", "?build=1&tail=0")).toEqual([]);
  expect((await platform.get(at("talking", "/logs?build=9"))).status).toBe(404);
  expect((await platform.get(at("talking", "/logs?follow=maybe"))).status).toBe(422);

  const response = await fetch(
    `${platform.server.url}${at("talking", "/logs?follow=true&tail=0")}`,
  );
  expect(response.headers.get("content-type")).toBe("application/x-ndjson");
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  await callService(platform, "talking");
  expect(JSON.parse((await reader?.read())?.value ?? "")).toMatchObject({ line: "called" });
  await reader?.cancel();
});

it("answers for a workflow only whom it may, and only on this machine", async () => {
  await deploy(platform, "guarded", workflow("x"));
  const call = (headers: Record<string, string>) =>
    platform.send({ path: "/services/guarded/nothing-documented", headers });
  expect((await call({ host: "evil.example" })).status).toBe(403);
  const unknown = await fetch(`${platform.server.url}/services/guarded/run/x`, {
    headers: { authorization: "Bearer nonsense" },
  });
  expect(unknown.status).toBe(401);
  const { key } = await platform.access.keys.create("default", { name: "r", scopes: ["read"] });
  const reader = await fetch(`${platform.server.url}/services/guarded/run/x`, {
    headers: { authorization: `Bearer ${key}` },
  });
  expect(reader.status).toBe(403);
});

it("logs calls of workflows like any other request", async () => {
  await deploy(platform, "logged", workflow("x"));
  await fetch(`${platform.server.url}/services/logged/run/secret?token=1`);
  const lines = await platform.logLines();
  expect(lines).toContainEqual(
    expect.objectContaining({ path: "/services/logged/run/secret", status: 200, msg: "request" }),
  );
});
