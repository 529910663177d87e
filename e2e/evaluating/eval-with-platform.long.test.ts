import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openapiOf } from "../../packages/platform/src/server/routes/registry/testing/workflow-openapi.fixture.ts";
import { installSdk, makeFolder, type UserFolder } from "../packing/user-project.fixture.ts";
import { type Ended, runAgate } from "../run-agate.ts";
import { type RunningServer, startServer } from "../running-server.ts";

const APP = `import * as ag from "@agate/sdk";
const look = ag.instrument({ name: "look", kind: "TOOL" })(async (text: string) => text);
class EchoConfig extends ag.BaseModel { prefix = ag.Field(ag.str, { default: ">" }); }
export const echo = ag.route("/echo", EchoConfig)(async ({ text }: { text: string }, { config }) => {
  return { text: config.prefix + (await look(text)) };
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

const TRACED = evalFile(
  '[{ id: "one", inputs: { text: "a" }, expected: ">a" }, { id: "two", inputs: { text: "b" } }]',
)
  .replace("{ evaluation }", "{ checks, evaluation }")
  .replace("{ right:", '{ looked: checks.calls("look"), right:');

const CONFIGURED = `import * as ag from "@agate/sdk";
import { evaluation, scorer } from "@agate/sdk/evals";
import { echo } from "./app.ts";
class StrictnessConfig extends ag.BaseModel {
  points = ag.Field(ag.float, { default: 0.5, ge: 0, le: 1 });
}
const strictness = scorer("strictness", StrictnessConfig)((_judged: unknown, { config }) => config.points);
export const quality = evaluation("quality", {
  route: echo,
  testset: [{ id: "one", inputs: { text: "a" } }],
  scorers: { strict: strictness },
});
`;

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

const JSON_BODY = { "content-type": "application/json" };

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
    columns: [{ name: "candidate", ref: "this code" }],
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

it("compares this code with what is live in production, and reports the same verdict", async () => {
  await folder.write({
    "quality.eval.ts": evalFile('"live"'),
    "live.jsonl": '{"id":"one","inputs":{"text":"a"},"expected":">a"}\n',
  });
  expect((await agate(["apps", "create", "live"])).code).toBe(0);
  const registered = await fetch(
    `${server.url}/registry/applications/live/schema?environment=production`,
    {
      method: "PUT",
      headers: JSON_BODY,
      body: JSON.stringify(openapiOf({ "/echo": { prefix: ">" } })),
    },
  );
  expect(registered.ok).toBe(true);
  for (const args of [
    ["testsets", "push", "live.jsonl"],
    ["revisions", "commit", "live", "default", "--set", "/echo.prefix=!"],
    ["revisions", "commit", "live", "default", "--set", "/echo.prefix=>"],
    ["deployments", "create", "live", "production", "default@2"],
  ]) {
    const { stderr, code } = await agate(args);
    expect([args, code, code === 0 ? "" : stderr]).toEqual([args, 0, ""]);
  }
  const columns = ["--app", "live", "--candidate", "default", "--baseline", "env:production"];
  const { stdout, stderr, code } = await agate(["eval", ...columns, "--reporter", "json"]);
  expect([stderr.trim(), code]).toEqual([
    "--baseline env:production is this code with default@2, the configuration that is live there: the platform has no build of that environment.",
    0,
  ]);
  const [local] = JSON.parse(stdout).evaluations;
  expect(local.columns).toEqual({
    candidate: "default (default@3)",
    baseline: "env:production (default@2)",
  });
  expect(await read(`/registry/runs/${local.run}`)).toMatchObject({
    application: "live",
    testset: { kind: "testset", name: "live", revision: 1 },
    columns: [
      { name: "candidate", ref: "default", variant: "default", revision: 3 },
      { name: "baseline", ref: "env:production", variant: "default", revision: 2 },
    ],
    verdict: { verdict: "passed", gates: local.gates },
    figures: local.figures,
  });
  const { items } = await read<Items<{ column: string; output: unknown; trace_id: string }>>(
    `/registry/runs/${local.run}/results`,
  );
  expect(items.map(({ column, output }) => [column, output])).toEqual([
    ["candidate", { text: ">a" }],
    ["baseline", { text: "!a" }],
  ]);
  const { items: traces } = await read<Items<{ trace_id: string }>>(
    `/observability/traces/?traffic=evaluation&run=${local.run}&route=/echo`,
  );
  expect(traces.map((trace) => trace.trace_id).sort()).toEqual(
    items.map((item) => item.trace_id).sort(),
  );
});

it("scores stored outputs by the platform's traces, as long as they are there", async () => {
  await folder.write({ "quality.eval.ts": evalFile(ROWS) });
  const { stdout } = await agate(["eval", "--reporter", "json"]);
  const [{ run }] = JSON.parse(stdout).evaluations;
  await folder.write({ "quality.eval.ts": TRACED });
  const rescored = await agate(["eval", "--candidate", `run:${run}`, "--reporter", "json"]);
  const [first] = JSON.parse(rescored.stdout).evaluations;
  expect(first.figures.scores[0].columns).toMatchObject([{ mean: 1, ok: 2, failed: 0 }]);

  const { items } = await read<Items<{ case: string; trace_id: string }>>(
    `/registry/runs/${run}/results`,
  );
  const { trace_id } = items.find((result) => result.case === "two")!;
  const path = `${server.url}/observability/traces/${trace_id}/`;
  expect((await fetch(path, { method: "DELETE" })).status).toBe(204);
  const after = await agate(["eval", "--candidate", `run:${run}`, "--reporter", "json"]);
  const [second] = JSON.parse(after.stdout).evaluations;
  const [looked, right] = second.figures.scores;
  expect(looked.columns).toMatchObject([{ mean: 1, ok: 1, failed: 1 }]);
  expect(right.columns).toMatchObject([{ ok: 2, failed: 0 }]);
  expect(second.failed_scores).toEqual([
    expect.objectContaining({ case: "two", error: expect.stringContaining("was deleted") }),
  ]);
});

it("scores a run anew that only the platform has, by its traces too", async () => {
  await folder.write({ "quality.eval.ts": evalFile(ROWS) });
  const [{ run }] = JSON.parse((await agate(["eval", "--reporter", "json"])).stdout).evaluations;
  await rm(join(folder.path, ".agate"), { recursive: true });
  await folder.write({ "quality.eval.ts": TRACED });
  const ref = `run:${run}`;
  const { stdout, stderr } = await agate(["eval", "--baseline", ref, "--reporter", "json"]);
  expect(stderr).toBe("");
  const [{ figures }] = JSON.parse(stdout).evaluations;
  for (const { columns } of figures.scores) {
    expect(columns).toMatchObject([
      { column: "candidate", ok: 2, failed: 0 },
      { column: "baseline", ok: 2, failed: 0 },
    ]);
  }
  const missing = await agate(["eval", "--baseline", "run:nope"]);
  expect([missing.code, missing.stdout]).toEqual([2, ""]);
  expect(missing.stderr).toContain("neither in .agate/evaluations nor on the platform");
});

it("pins scorers to the newest configurations, or to those that it is told", async () => {
  await folder.write({ "quality.eval.ts": CONFIGURED });
  const evaluate = async (...more: string[]) => {
    const { stdout, stderr, code } = await agate(["eval", "--reporter", "json", ...more]);
    return { stderr, code, local: stdout === "" ? undefined : JSON.parse(stdout).evaluations[0] };
  };
  const mean = ({ local }: Awaited<ReturnType<typeof evaluate>>) =>
    local.figures.scores[0].columns[0].mean;
  const first = await evaluate();
  expect([first.stderr, mean(first), first.local.scorers_revision]).toEqual(["", 0.5, null]);
  const commit = async (points: number) => {
    await folder.write({ "scorers.json": JSON.stringify({ strictness: { points } }) });
    return agate(["scorers", "commit", "echo", "scorers.json"]);
  };
  expect((await commit(0.25)).stdout).toBe("Committed scorers@1.\n");
  const second = await evaluate();
  expect(second.stderr).toContain("scorers have the configurations of scorers@1");
  expect([mean(second), second.local.scorers_revision]).toEqual([0.25, 1]);
  expect(second.local.scorers.strict).not.toBe(first.local.scorers.strict);
  expect(await read(`/registry/runs/${second.local.run}`)).toMatchObject({
    scorers_revision: 1,
    scorers: [{ name: "strict", version: second.local.scorers.strict, kind: "code" }],
  });
  expect((await commit(2)).code).toBe(0);
  const wrong = await evaluate();
  expect([wrong.code, wrong.local]).toEqual([2, undefined]);
  expect(wrong.stderr).toContain("strictness.points: Must be 1 or less (got 2).");
  const pinned = await evaluate("--scorers", "1");
  expect([mean(pinned), pinned.local.scorers]).toEqual([0.25, second.local.scorers]);
  const missing = await evaluate("--scorers", "9");
  expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining("no revision 9")]);
});

it.each([
  ["env:nowhere", "nowhere"],
  ["default@99", "99"],
  ["none", "none"],
  ["default@0", "env:NAME"],
  ["other:x", "env:NAME"],
])("could not run with the baseline %s", async (ref, reason) => {
  await folder.write({ "quality.eval.ts": evalFile(ROWS) });
  const { stderr, stdout, code } = await agate(["eval", "--baseline", ref]);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain(`--baseline`);
  expect(stderr).toContain(reason);
});

it("runs in the project that it is told: runs, configurations and traces", async () => {
  await folder.write({ "quality.eval.ts": evalFile(ROWS) });
  expect((await agate(["projects", "create", "team-b"])).code).toBe(0);
  const { stdout } = await agate(["eval", "--project", "team-b", "--reporter", "json"]);
  const [{ run }] = JSON.parse(stdout).evaluations;
  expect((await fetch(`${server.url}/registry/runs/${run}`)).status).toBe(404);
  const init = { headers: { "agate-project": "team-b" } };
  const path = `${server.url}/observability/traces/?traffic=evaluation&run=${run}&route=/echo`;
  const traces = (await (await fetch(path, init)).json()) as Items<unknown>;
  expect(traces.items).toHaveLength(2);
  expect((await fetch(`${server.url}/registry/runs/${run}`, init)).status).toBe(200);
});

it("takes the platform of agate --url, and the application of eval --url", async () => {
  await folder.write({ "quality.eval.ts": evalFile(ROWS) });
  const args = ["--url", server.url, "eval", "--url", server.url];
  const { stdout } = await agate(args, undefined);
  expect(stdout).toContain(`candidate ${server.url}`);
  expect(stdout).toContain(`Reported to ${server.url}/runs/`);
});
