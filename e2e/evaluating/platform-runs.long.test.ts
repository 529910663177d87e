import { afterAll, beforeAll, expect, it } from "vitest";
import type { RunResult } from "../../packages/protocol/src/evaluations/run.ts";
import { deployClient } from "../deployments/deploy-client.fixture.ts";
import { openPacker } from "../deployments/pack-workflow.fixture.ts";
import { type RunningServer, startServer } from "../running-server.ts";
import { type Listed, readJson, runToEnd } from "./run-to-end.fixture.ts";

const APP = `import * as ag from "@agate/sdk";
class NoConfig extends ag.BaseModel {}
export const say = ag.route("/say", NoConfig)(async ({ text }: { text: string }) => {
  if (text === "exit") process.exit(3);
  return text;
});
`;

const EVALS = `import { evaluation } from "@agate/sdk/evals";
import { say } from "./app.ts";
export const hanging = evaluation("hanging", {
  route: say,
  testset: [{ inputs: { text: "a" } }],
  scorers: { hangs: () => new Promise<number>(() => {}) },
  scorerTimeout: 100,
});
export const crashing = evaluation("crashing", {
  route: say,
  testset: [{ id: "exit", inputs: { text: "exit" } }],
  scorers: { judged: () => 1 },
});
`;

let server: RunningServer;
beforeAll(async () => {
  server = await startServer();
  await using packer = await openPacker();
  await deployClient(server.url).mustDeploy(
    await packer.pack(APP, EVALS),
    "?environment=development",
  );
});
afterAll(() => server?.[Symbol.asyncDispose]());

it("gives a scorer that never answers no value", async () => {
  const run = await runToEnd(server.url, "hanging", {});
  expect([run.status, run.results, run.verdict?.verdict]).toEqual(["finished", 1, undefined]);
  const results = `${server.url}/registry/runs/${run.id}/results`;
  const { items } = await readJson<Listed<RunResult>>(results);
  expect(items[0]?.scores).toMatchObject([{ name: "hangs", status: "failed", value: null }]);
});

it("fails where the code ends its process on every call", async () => {
  const run = await runToEnd(server.url, "crashing", {});
  expect([run.status, run.results]).toEqual(["failed", 0]);
  expect(run.reason).toMatch(/build 1 ended 4 times.*code 3/s);
});
