import { afterAll, beforeAll, expect, it } from "vitest";
import { installSdk, makeFolder, type UserFolder } from "../packing/user-project.fixture.ts";
import { type Ended, runAgate } from "../run-agate.ts";
import { type RunningServer, startServer } from "../running-server.ts";

const APP = `import * as ag from "@agate/sdk";
class EchoConfig extends ag.BaseModel { prefix = ag.Field(ag.str, { default: ">" }); }
export const echo = ag.route("/echo", EchoConfig)(async ({ text }: { text: string }, { config }) => {
  return { text: config.prefix + text };
});
`;

function evalFile(testset: string): string {
  return `import { evaluation } from "@agate/sdk/evals";
import { echo } from "./app.ts";
export const quality = evaluation("quality", {
  route: echo,
  testset: ${testset},
  scorers: { right: ({ output, expected }) => output.text === expected },
  gate: { scores: { right: { min: 0.6 } }, errors: { share: 0 } },
});
`;
}

const ROWS = `[
  { id: "one", inputs: { text: "a" }, expected: ">a" },
  { id: "two", inputs: { text: "b" }, expected: "b" },
]`;

let folder: UserFolder;
let server: RunningServer;
beforeAll(async () => {
  server = await startServer();
  folder = await makeFolder({
    "package.json": { name: "echo", type: "module", dependencies: { "@agate/sdk": "*" } },
    "app.ts": APP,
  });
  await installSdk(folder.path);
});
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  await folder?.[Symbol.asyncDispose]();
});

function agate(args: readonly string[], url: string | undefined = server.url): Promise<Ended> {
  const { AGATE_BASE_URL: _, ...env } = process.env;
  return runAgate(args, {
    cwd: folder.path,
    env: url === undefined ? env : { ...env, AGATE_BASE_URL: url },
  });
}

async function read<Value>(path: string): Promise<Value> {
  const response = await fetch(`${server.url}${path}`);
  expect([path, response.status]).toEqual([path, 200]);
  return (await response.json()) as Value;
}

interface Items<Value> {
  readonly items: readonly Value[];
}

it("reports a run with its traces, and shows the verdict that the platform has", async () => {
  await folder.write({ "quality.eval.ts": evalFile(ROWS) });
  const { stdout, stderr, code } = await agate(["eval", "--reporter", "json"]);
  expect([stderr, code]).toEqual(["", 1]);
  const [local] = JSON.parse(stdout).evaluations;
  expect(local.address).toBe(`${server.url}/runs/${local.run}`);
  const run = await read<Record<string, unknown>>(`/registry/runs/${local.run}`);
  expect(run).toMatchObject({
    application: "echo",
    evaluation: "quality",
    status: "finished",
    seed: local.seed,
    testset: { kind: "inline" },
    scorers: [{ name: "right", version: local.scorers.right }],
    columns: [{ name: "candidate", ref: "default" }],
    results: 2,
    verdict: { verdict: "failed", gates: local.gates },
    figures: local.figures,
  });
  const { items: results } = await read<Items<{ trace_id: string; output: unknown }>>(
    `/registry/runs/${local.run}/results`,
  );
  expect(results.map(({ output }) => output)).toEqual([{ text: ">a" }, { text: ">b" }]);
  const { items: traces } = await read<Items<{ trace_id: string }>>(
    "/observability/traces/?traffic=evaluation&application=echo&route=/echo",
  );
  expect(traces.map((trace) => trace.trace_id).sort()).toEqual(
    results.map((result) => result.trace_id).sort(),
  );
  expect(await read("/observability/traces/?application=echo")).toMatchObject({ items: [] });
});

it("goes on without the platform, and sends the run later", async () => {
  await folder.write({ "quality.eval.ts": evalFile(ROWS) });
  // Nothing listens on the port of a server that has ended.
  const gone = await startServer();
  await gone.stop();
  const away = await agate(["eval", "--reporter", "json"], gone.url);
  expect(away.code).toBe(1);
  const [{ run, address }] = JSON.parse(away.stdout).evaluations;
  expect(address).toBeNull();
  expect(away.stderr).toContain("The run goes on");
  expect(away.stderr).toContain("agate eval --resume --only quality");
  const sent = await agate(["eval", "--resume", "--only", "quality"]);
  expect(sent.stdout).toContain(`Reported to ${server.url}/runs/${run}`);
  expect(await read(`/registry/runs/${run}`)).toMatchObject({ status: "finished", results: 2 });
});

it("takes the cases of a test set, and stays with the revision that it began with", async () => {
  await folder.write({
    "quality.eval.ts": evalFile('"golden"'),
    "golden.jsonl": '{"id":"one","inputs":{"text":"a"},"expected":">a"}\n',
  });
  const missing = await agate(["eval"]);
  expect([missing.code, missing.stdout]).toEqual([2, ""]);
  expect(missing.stderr).toContain("golden");
  expect((await agate(["testsets", "push", "golden.jsonl"])).code).toBe(0);
  const first = await agate(["eval", "--no-report", "--reporter", "json"]);
  const [local] = JSON.parse(first.stdout).evaluations;
  expect([first.code, local.testset]).toEqual([0, { source: "golden@1", cases: 1 }]);
  await folder.write({ "golden.jsonl": '{"id":"two","inputs":{"text":"b"},"expected":"no"}\n' });
  expect((await agate(["testsets", "push", "golden.jsonl"])).code).toBe(0);
  const second = await agate(["eval", "--reporter", "json"]);
  const [{ run }] = JSON.parse(second.stdout).evaluations;
  expect(second.code).toBe(1);
  expect(await read(`/registry/runs/${run}`)).toMatchObject({
    testset: { kind: "testset", name: "golden", revision: 2 },
  });
  await folder.write({ "quality.eval.ts": evalFile('"golden@1"') });
  const pinned = await agate(["eval"]);
  expect(pinned.stdout).toContain("1 case of golden@1");
  expect(pinned.code).toBe(0);
});

it("reports nothing with --no-report", async () => {
  await folder.write({ "quality.eval.ts": evalFile(ROWS) });
  const { stdout } = await agate(["eval", "--no-report", "--reporter", "json"]);
  const [{ run, address }] = JSON.parse(stdout).evaluations;
  expect(address).toBeNull();
  expect((await fetch(`${server.url}/registry/runs/${run}`)).status).toBe(404);
});

it("takes the platform of agate --url, and the application of eval --url", async () => {
  await folder.write({ "quality.eval.ts": evalFile(ROWS) });
  const args = ["--url", server.url, "eval", "--url", server.url];
  const { stdout } = await agate(args, undefined);
  expect(stdout).toContain(`candidate ${server.url}`);
  expect(stdout).toContain(`Reported to ${server.url}/runs/`);
});
