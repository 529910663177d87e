import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Run, RunResult } from "../../packages/protocol/src/evaluations/run.ts";
import { type DeployClient, deployClient } from "../deployments/deploy-client.fixture.ts";
import { openPacker, type Packer } from "../deployments/pack-workflow.fixture.ts";
import { type RunningServer, startServer } from "../running-server.ts";
import { endOf, type Listed, readJson, runToEnd } from "./run-to-end.fixture.ts";

const APP = `import * as ag from "@agate/sdk";

class SayConfig extends ag.BaseModel {
  word = ag.Field(ag.str, { default: "default" });
}

const look = ag.instrument({ name: "look", kind: "TOOL" })(async (text: string) => text);

async function ask(text: string): Promise<void> {
  const next = await (await fetch("HOLD/" + text)).text();
  if (next === "exit") process.exit(3);
}

export const say = ag.route("/say", SayConfig)(
  async ({ text }: { text: string }, { config }) => {
    if (text.startsWith("held")) await ask(text);
    return "BUILD " + config.word + " " + (await look(text));
  },
);
`;

const EVALS = `import { checks, evaluation, skip } from "@agate/sdk/evals";
import { say } from "./app.ts";

export const quality = evaluation("quality", {
  route: say,
  testset: [{ id: "a", inputs: { text: "a" } }, { id: "b", inputs: { text: "b" } }],
  scorers: {
    judged: () => ({ value: 1, explanation: "by BUILD" }),
    looked: checks.calls("look"),
    throws: () => { throw new Error("no judge"); },
    skips: () => skip("does not apply"),
    nonsense: () => "good" as never,
  },
  trials: 2,
  gate: { scores: { judged: { min: 1 } } },
});
export const held = evaluation("held", {
  route: say,
  testset: [1, 2, 3].map((n) => ({ id: "held-" + n, inputs: { text: "held-" + n } })),
  scorers: { judged: () => ({ value: 1, explanation: "by BUILD" }) },
  concurrency: 1,
});
`;

/** Whom calls of `held` ask how to go on. */
let onHeld: (answer: (next: "go" | "exit") => void) => void = () => {};
const holder = createServer((_, response) => onHeld((next) => response.end(next)));

let packer: Packer;
let server: RunningServer;
let client: DeployClient;
beforeAll(async () => {
  await once(holder.listen(0, "127.0.0.1"), "listening");
  packer = await openPacker();
  server = await startServer();
  client = deployClient(server.url);
  await deploy("one", "production");
  await deploy("two", "development");
});
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  await packer?.[Symbol.asyncDispose]();
  holder.closeAllConnections();
  holder.close();
});

async function deploy(build: string, environment: string): Promise<void> {
  const { port } = holder.address() as AddressInfo;
  const written = (text: string) =>
    text.replaceAll("BUILD", build).replaceAll("HOLD", `http://127.0.0.1:${port}`);
  const [app, evals] = [written(APP), written(EVALS)];
  await client.mustDeploy(await packer.pack(app, evals), `?environment=${environment}`);
}

const get = <Value>(path: string) => readJson<Value>(`${server.url}${path}`);

it("runs two builds as columns, judged by one, and leaves live figures as they were", async () => {
  await client.call("/run/say", { inputs: { text: "live" } });
  const figures = async () => {
    const { items } = await get<Listed<{ trace_id: string }>>("/observability/traces/");
    const analytics = await get<Record<string, unknown>>(
      "/observability/analytics/?from=2020-01-01T00:00:00Z&to=2100-01-01T00:00:00Z&interval=365d",
    );
    return { traces: items.map(({ trace_id }) => trace_id), analytics };
  };
  await expect.poll(async () => (await figures()).traces.length).toBe(1);
  const before = await figures();

  const run = await runToEnd(server.url, "quality", {
    candidate: "default",
    baseline: "env:production",
  });
  expect([run.status, run.reason, run.results, run.errors]).toEqual(["finished", null, 8, 0]);
  expect(run.columns.map(({ build, variant }) => [build?.number, variant])).toEqual([
    [2, "default"],
    [1, "default"],
  ]);
  const { items: results } = await get<Listed<RunResult>>(`/registry/runs/${run.id}/results`);
  for (const { column, output, latency_ms, scores } of results) {
    expect(output).toMatch(column === "candidate" ? /^two default/ : /^one default/);
    expect(latency_ms).toBeGreaterThan(0);
    const shown = scores.map(({ name, status, value }) => [name, status, value]);
    expect(shown, JSON.stringify(scores)).toEqual([
      ["judged", "ok", 1],
      ["looked", "ok", 1],
      ["throws", "failed", null],
      ["skips", "skipped", null],
      ["nonsense", "failed", null],
    ]);
    expect(scores[0]?.explanation).toBe("by two");
  }
  expect(run.verdict?.verdict).toBe("passed");

  // Their traces have the scores, and are none of the live ones.
  const [result] = results;
  const trace = await get<{ metadata: { scores: { name: string }[] } }>(
    `/observability/traces/${result?.trace_id}/`,
  );
  expect(trace.metadata.scores.map(({ name }) => name)).toContain("judged");
  expect(await figures()).toEqual(before);
});

it("goes on as it began when code is deployed, values are committed and all is renamed", async () => {
  const held = Promise.withResolvers<(next: "go" | "exit") => void>();
  onHeld = (answer) => {
    held.resolve(answer);
    onHeld = (later) => later("go");
  };
  const { id, columns, plan } = (await (
    await client.send("POST", "/evaluations/held/runs", {})
  ).json()) as Run;
  expect([columns[0]?.variant, plan?.environment]).toEqual(["default", "development"]);
  const answer = await held.promise;

  await deploy("three", "development");
  const { latest_revision: base_revision } = (await (
    await client.send("GET", "/variants/default")
  ).json()) as { latest_revision: number };
  const changes: [string, string, object][] = [
    [
      "POST",
      "/variants/default/revisions",
      { params: { "/say": { word: "changed" } }, base_revision, message: "" },
    ],
    ["PATCH", "/variants/default", { slug: "renamed" }],
    ["PATCH", "/environments/development", { slug: "renamed" }],
    ["PATCH", "", { slug: "renamed" }],
  ];
  for (const [method, path, body] of changes) {
    const changed = await client.send(method, path, body);
    expect(changed.ok, `${method} ${path} ${await changed.text()}`).toBe(true);
  }
  // The process that has everything in memory ends. The next one has to find it again.
  answer("exit");

  const run = await endOf(server.url, id);
  expect([run.status, run.reason, run.results, run.errors]).toEqual(["finished", null, 3, 0]);
  expect(run.columns).toEqual(columns);
  const { items } = await get<Listed<RunResult>>(`/registry/runs/${id}/results`);
  const outputs = items.map(({ output, scores }) => [output, scores[0]?.explanation]);
  expect(outputs).toEqual([1, 2, 3].map((n) => [`two default held-${n}`, "by two"]));
});
