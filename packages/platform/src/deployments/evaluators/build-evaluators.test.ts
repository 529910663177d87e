import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { EvaluatedBuild } from "../../evaluations/evaluators.ts";
import { newBuild } from "../../registry/testing/go-live.fixture.ts";
import { deploy, workflow } from "../../server/routes/deployments/testing/deploying.fixture.ts";
import {
  startTestPlatform,
  type TestPlatform,
} from "../../server/testing/test-platform.fixture.ts";
import { ProcessRoom } from "../processes/process-room.ts";
import { BuildEvaluators, END_MS } from "./build-evaluators.ts";

const APP = { project: "default", application: "support" };

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.close());

/** @param number Of the build. */
async function evaluated(number: number): Promise<EvaluatedBuild> {
  const application = await platform.registry.applications.get(APP);
  const build = await platform.registry.builds.get(APP, String(number));
  if (application.kind === "refused" || build.kind === "refused") throw new Error("not there");
  return { project: "default", application: application.value, build: build.value };
}

it("refuses a build whose SDK has no evaluators, without starting it", async () => {
  const lines: string[] = [];
  const options = {
    signal: new AbortController().signal,
    onLine: (line: string) => lines.push(line),
  };
  // Workflows of earlier SDKs listen for calls only.
  const program = workflow("hello", { before: "console.log('started');" });
  const files = { "app.js": program, "evals.js": program, "package.json": '{"type":"module"}' };
  const manifest = { sdk_version: "0.0.9" };
  for (const contents of [
    { files, manifest },
    { files, manifest: { ...manifest, evals: "evals.js" } },
  ]) {
    const { status, json } = await deploy(platform, "support", contents);
    expect(status, JSON.stringify(json)).toBe(201);
    const build = await evaluated(json.build.number);
    expect(await platform.deployer.evaluators.start(build, "development", options)).toEqual({
      kind: "failed",
      reason:
        "It was packed with @agate/sdk 0.0.9, which cannot run evaluations. Update @agate/sdk to 0.1.0 or later, and deploy the code again.",
      log: [],
    });
  }
  expect(lines).toEqual([]);
});

/** Evaluators whose one process is a server in this one. `stops`: the grace that each stop gave it. */
async function inProcess(answer: RequestListener, describeMs?: number) {
  await platform.registry.applications.ensure("default", "support");
  const begun = await platform.registry.builds.begin(APP, newBuild({ hasEvals: true }));
  if (begun.kind === "refused") throw new Error(JSON.stringify(begun));
  const server = createServer(answer);
  const socketPath = join(tmpdir(), `${begun.value.id}.sock`);
  await once(server.listen(socketPath), "listening");
  const stops: number[] = [];
  const ended = Promise.withResolvers<{ kind: "ended"; reason: string; log: string[] }>();
  const evaluators = new BuildEvaluators({
    registry: platform.registry,
    runner: {
      start: async () => ({
        kind: "running",
        pid: 1,
        socketPath,
        openapi: {},
        ended: ended.promise as never,
        async stop(graceMs) {
          stops.push(graceMs);
          server.closeAllConnections();
          server.close(() => ended.resolve({ kind: "ended", reason: "It ended.", log: [] }));
          await ended.promise;
        },
      }),
    },
    store: { manifestOf: async () => undefined, folderOf: () => "" },
    baseUrl: Promise.resolve(platform.server.url),
    issueKey: () => ({ key: "key", revoke: () => {} }),
    logOf: () => ({ add: () => {} }),
    redactLine: (_, line) => line,
    onVariables: () => {},
    room: new ProcessRoom(1),
    signal: new AbortController().signal,
    ...(describeMs !== undefined && { describeMs }),
  });
  return { evaluators, build: await evaluated(begun.value.number), stops };
}

it("lists evaluations once, and lets the process send its last spans", async () => {
  let requests = 0;
  const { evaluators, build, stops } = await inProcess((_, response) => {
    requests += 1;
    response.end("[]");
  });
  const described = { kind: "described", evaluations: [] };
  expect(await Promise.all([1, 2].map(() => evaluators.describe(build)))).toEqual([
    described,
    described,
  ]);
  expect(await evaluators.describe(build)).toEqual(described);
  expect([requests, stops, evaluators.builds]).toEqual([1, [END_MS], []]);
});

it("gives up on a process that never lists its evaluations, and asks again the next time", async () => {
  let requests = 0;
  const { evaluators, build, stops } = await inProcess(() => {
    requests += 1;
  }, 50);
  expect(await evaluators.describe(build)).toEqual({
    kind: "failed",
    reason: "It did not list its evaluations within 0.05 s.",
    log: [],
  });
  // Killed at once: it has no spans of calls.
  expect([requests, stops[0]]).toEqual([1, 0]);
  expect(await platform.registry.builds.evaluations(build.build?.id ?? "")).toEqual({
    kind: "unread",
  });
});
