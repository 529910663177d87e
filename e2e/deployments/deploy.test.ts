import { afterAll, beforeAll, expect, it } from "vitest";
import { type RunningServer, startServer } from "../running-server.ts";
import { type DeployClient, deployClient } from "./deploy-client.fixture.ts";
import { openPacker, type Packer, support } from "./pack-workflow.fixture.ts";

let packer: Packer;
let server: RunningServer;
let client: DeployClient;
beforeAll(async () => {
  packer = await openPacker();
  server = await startServer();
  client = deployClient(server.url);
  const archive = await packer.pack(support("one"));
  const { deployment } = await client.mustDeploy(archive, "?environment=production");
  expect(deployment?.variant).toMatchObject({ slug: "default", revision: 1 });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await packer[Symbol.asyncDispose]();
});

async function said(path: string, body: object): Promise<unknown> {
  const response = await client.call(path, body);
  expect(response.status).toBe(200);
  return ((await response.json()) as { data: unknown }).data;
}

// biome-ignore lint/suspicious/noExplicitAny: the test looks into a tree of records
async function traceOf(traceId: string): Promise<any> {
  const read = async () => fetch(`${server.url}/observability/traces/${traceId}/`);
  await expect.poll(async () => (await read()).status).toBe(200);
  await expect
    .poll(async () => ((await (await read()).json()) as { children: unknown }).children)
    .not.toBeNull();
  return (await read()).json();
}

it("serves the deployed and the playground endpoint of a real workflow", async () => {
  expect(await said("/run/say", { inputs: { text: "hi" } })).toBe("one default hi");
  const config = { word: "mine" };
  const own = { config, inputs: { text: "hi" } };
  // Off in production until it is switched on.
  const off = await client.call("/playground/run/say", own);
  expect([off.status, await off.text()]).toEqual([
    403,
    expect.stringContaining("agate environments playground support production on"),
  ]);
  const switched = await client.send("PATCH", "/environments/production", { playground: true });
  expect(switched.status).toBe(200);
  // The process that serves is told of the change, and does not stop.
  await expect.poll(async () => (await client.call("/playground/run/say", own)).status).toBe(200);
  expect(await said("/playground/run/say", own)).toBe("one mine hi");
  const description = await fetch(`${server.url}/services/support/openapi.json`);
  expect(Object.keys(((await description.json()) as { paths: object }).paths)).toContain(
    "/run/say",
  );
  const wrong = await client.call("/run/say", { inputs: { text: "hi" }, environment: "moon" });
  expect(wrong.status).toBe(404);
});

it("keeps the caller's trace, and stamps every span of it", async () => {
  const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
  const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;
  const answer = await client.call("/run/say", { inputs: { text: "x" } }, { traceparent });
  expect(((await answer.json()) as { trace_id: string }).trace_id).toBe(traceId);
  expect(answer.headers.get("traceparent")).toMatch(new RegExp(`^00-${traceId}-`));
  const top = await traceOf(traceId);
  for (const span of [top, ...top.children]) {
    expect(span).toMatchObject({
      environment: "production",
      variant: { variant_name: "default", revision: 1 },
      metadata: { application: "support" },
    });
  }
  expect(top.children.map(({ name }: { name: string }) => name)).toEqual(["step"]);
});

it("streams every chunk, and its end", async () => {
  const accept = { accept: "text/event-stream" };
  const response = await client.call("/run/count", { inputs: { most: 5 } }, accept);
  expect(response.headers.get("content-type")).toMatch(/^text\/event-stream/);
  // That chunks are not held back is seen below, in a stream that has no end.
  const text = await response.text();
  expect(text.match(/event: chunk/g)).toHaveLength(5);
  expect(text).toContain("event: done");
});

it("tells a function that its client has gone, and shows in the log what it says then", async () => {
  const log = await fetch(`${server.url}/registry/applications/support/logs?follow=true&tail=0`);
  const lines = log.body!.pipeThrough(new TextDecoderStream()).getReader();
  const accept = { accept: "text/event-stream" };
  const response = await client.call("/run/count", { inputs: { most: 100_000 } }, accept);
  const reader = response.body!.getReader();
  await reader.read();
  await reader.cancel();
  const { value = "" } = await lines.read();
  expect(JSON.parse(value)).toMatchObject({ build: 1, stream: "stdout", line: "aborted" });
  await lines.cancel();
});

it("takes a configuration that is deployed while the build runs", async () => {
  const params = { "/say": { word: "new" } };
  await client.send("POST", "/variants/default/revisions", { params, base_revision: 1 });
  await client.send("POST", "/environments/production/deployments", { variant: "default" });
  await expect.poll(() => said("/run/say", { inputs: { text: "hi" } })).toBe("one new hi");
});

it("serves the next build, and the spans of the last call of the one before are not lost", async () => {
  const answers = Array.from({ length: 20 }, (_, n) =>
    client.call("/run/say", { inputs: { text: String(n) } }),
  );
  await client.mustDeploy(await packer.pack(support("two")));
  expect(await said("/run/say", { inputs: { text: "hi" } })).toBe("two new hi");
  for (const answer of await Promise.all(answers)) {
    const { trace_id } = (await answer.json()) as { trace_id: string };
    expect((await traceOf(trace_id)).spankind).toBe("WORKFLOW");
  }
});
