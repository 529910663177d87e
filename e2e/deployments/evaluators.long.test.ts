import { afterAll, beforeAll, expect, it } from "vitest";
import { EvaluatorClient } from "../../packages/platform/src/evaluations/evaluator-client.ts";
import type {
  EvaluatedBuild,
  EvaluatorFailure,
  RunningEvaluator,
} from "../../packages/platform/src/evaluations/evaluators.ts";
import {
  startTestPlatform,
  TEST_PROJECT,
  type TestPlatform,
} from "../../packages/platform/src/server/testing/test-platform.fixture.ts";
import { type DeployClient, deployClient } from "./deploy-client.fixture.ts";
import { openPacker, type Packer } from "./pack-workflow.fixture.ts";

const APP = `import * as ag from "@agate/sdk";

class SayConfig extends ag.BaseModel {
  word = ag.Field(ag.str, { default: "default" });
}

console.log("started with", process.env.TOKEN);

export const say = ag.route("/say", SayConfig)(
  async ({ text }: { text: string }, { config, evaluation }) =>
    [config.word, text, evaluation?.case ?? "live", process.env.PLACE ?? "nowhere"].join(" "),
);
`;

const EVALS = `import { evaluation, scorer } from "@agate/sdk/evals";
import * as ag from "@agate/sdk";
import { say } from "./app.ts";

class LongConfig extends ag.BaseModel {
  least = ag.Field(ag.int, { default: 1 });
}

export const quality = evaluation("quality", {
  route: say,
  testset: "./cases.jsonl",
  scorers: {
    xyzzy: ({ output }) => output !== "",
    long: scorer("long", LongConfig)(({ output }, { config }) => output.length >= config.least),
  },
});
`;

const ITEM = { run: "r1", case: "c1", trial: 1 };

let packer: Packer;
let platform: TestPlatform;
let client: DeployClient;
/** The builds, by the order of their deploys. */
let good: EvaluatedBuild;
let throwing: EvaluatedBuild;
let bare: EvaluatedBuild;

beforeAll(async () => {
  packer = await openPacker();
  // Production's process, and one evaluator beside it.
  platform = await startTestPlatform({ processes: { most: 2 } });
  client = deployClient(platform.server.url);
  good = await deploy(EVALS);
  throwing = await deploy(`${EVALS}throw new Error("no judge: plugh");`);
  bare = await deploy();
  const ref = { project: TEST_PROJECT, application: "support" };
  const set = [
    { name: "TOKEN", value: "sesame-1234567", isSecret: true },
    { name: "PLACE", value: "here", isSecret: false },
  ];
  await platform.registry.variables.change(ref, "development", { set, unset: [] }, "tests");
});
afterAll(async () => {
  await platform.close();
  await packer[Symbol.asyncDispose]();
});

async function deploy(evals?: string): Promise<EvaluatedBuild> {
  const { build } = await client.mustDeploy(await packer.pack(APP, evals));
  const ref = { project: TEST_PROJECT, application: "support" };
  const application = await platform.registry.applications.get(ref);
  if (application.kind !== "done") throw new Error("It was deployed.");
  const { id, slug } = application.value;
  return { project: TEST_PROJECT, application: { id, slug }, build };
}

async function start(
  build: EvaluatedBuild,
  lines: string[] = [],
): Promise<RunningEvaluator & AsyncDisposable> {
  const { signal } = new AbortController();
  const onLine = (line: string) => lines.push(line);
  const started = await platform.deployer.evaluators.start(build, "development", {
    signal,
    onLine,
  });
  if (started.kind === "failed") throw new Error(JSON.stringify(started));
  return { ...started, [Symbol.asyncDispose]: () => started.stop(10_000) };
}

async function failure(build: EvaluatedBuild, environment = "development") {
  const { signal } = new AbortController();
  const options = { signal, onLine: () => {} };
  const started = await platform.deployer.evaluators.start(build, environment, options);
  if (started.kind === "running") await started.stop(0);
  return started as EvaluatorFailure;
}

async function evaluations(query = "") {
  const { json } = await platform.get(`/registry/applications/support/evaluations${query}`);
  return json;
}

it("lists the evaluations of a build, and stores them", async () => {
  const listed = await evaluations(`?build=${good.build?.number}`);
  expect(listed).toMatchObject({
    build: { id: good.build?.id, number: good.build?.number },
    evaluations: [
      { name: "quality", application: "support", route: "/say", testset: "./cases.jsonl" },
    ],
    problem: null,
  });
  expect(await platform.registry.builds.evaluations(good.build?.id ?? "")).toEqual({
    kind: "read",
    evaluations: listed.evaluations,
  });
  expect(await evaluations(`?build=${bare.build?.number}`)).toMatchObject({
    build: { number: bare.build?.number },
    evaluations: [],
    problem: null,
  });
});

it("names a build that does not exist as a fault of the query", async () => {
  expect((await evaluations("?build=77")).detail).toMatchObject([
    { type: "build_not_found", loc: ["query", "build"] },
  ]);
});

it("serves a build whose eval files throw, and tells why they cannot be read", async () => {
  expect((await client.call("/run/say", { inputs: { text: "hi" } })).status).toBe(200);
  // The newest with eval files.
  const { build, evaluations: none, problem } = await evaluations();
  expect(build).toEqual({ id: throwing.build?.id, number: throwing.build?.number });
  expect(none).toEqual([]);
  expect(problem).toMatch(/^It ended with code 1 before it answered\.\n.*no judge: plugh/s);
  expect(problem).not.toContain(platform.dataDirectory);
  expect(await failure(throwing)).toMatchObject({
    reason: "It ended with code 1 before it answered.",
  });
});

it.each([
  ["with eval files", () => good, ["quality"]],
  ["without", () => bare, []],
])("starts an evaluator of a build %s", async (_, build, names) => {
  const lines: string[] = [];
  await using evaluator = await start(build(), lines);
  using asked = new EvaluatorClient(evaluator.socketPath);
  expect((await asked.evaluations()).map(({ name }) => name)).toEqual(names);
  const called = await asked.call("/say", { text: "hi" }, ITEM, { by: "code" });
  expect(called).toMatchObject({ output: "default hi c1 here", error: null });
  await expect.poll(() => lines).toContain("started with [secret:TOKEN]");
  const logs = `${platform.server.url}/registry/applications/support/logs?tail=1000`;
  const printed = (await (await fetch(logs)).text()).trim().split("\n");
  expect(printed.map((line) => JSON.parse(line))).toContainEqual({
    time: expect.any(String),
    build: build().build?.number,
    environment: "development",
    stream: "stdout",
    line: "started with [secret:TOKEN]",
  });

  // The same header, sent by a client.
  const header = { "agate-run": encodeURIComponent(JSON.stringify(ITEM)) };
  const live = await client.call("/run/say", { inputs: { text: "hi" } }, header);
  expect(await live.json()).toMatchObject({ data: "default hi live nowhere" });
});

it("starts no more processes than the server may run", async () => {
  {
    await using _ = await start(good);
    expect(await failure(good)).toMatchObject({
      cause: "no-room",
      reason: expect.stringContaining("There is no room for 1 more process"),
    });
  }
  await using _ = await start(good);
});

it("does not start in an environment that does not exist", async () => {
  expect(await failure(good, "nowhere")).toMatchObject({
    kind: "failed",
    reason: expect.stringContaining("nowhere"),
  });
});

it("reads files of the build, and no others", async () => {
  const { evaluators } = platform.deployer;
  const file = await evaluators.readFile(good, "./cases.jsonl");
  expect(file.kind === "file" && Buffer.from(file.bytes).toString()).toBe(
    '{"inputs":{"text":"hi"}}\n',
  );
  for (const path of ["./others.jsonl", "../cases.jsonl", "/etc/passwd", "."]) {
    expect(await evaluators.readFile(good, path)).toEqual({ kind: "missing" });
  }
});

it("carries out a run of a build that is live nowhere", async () => {
  const asked = { build: good.build?.number, candidate: "default", trials: 2 };
  const path = "/registry/applications/support/evaluations/quality/runs";
  const started = await platform.send({
    method: "POST",
    path,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(asked),
  });
  expect(started.status, started.body.toString()).toBe(201);
  const run = `/registry/runs/${started.json.id}`;
  await expect
    .poll(async () => (await platform.get(run)).json.status, { timeout: 30_000 })
    .not.toBe("running");
  expect((await platform.get(run)).json).toMatchObject({ status: "finished", runner: "platform" });
  const { items } = (await platform.get(`${run}/results`)).json;
  expect(items).toHaveLength(2);
  for (const { status, output, scores } of items) {
    expect({ status, output }).toEqual({
      status: "ok",
      output: expect.stringMatching(/^default hi \S+ here$/),
    });
    expect(scores).toMatchObject([
      { name: "xyzzy", value: 1 },
      { name: "long", value: 1 },
    ]);
  }
});
