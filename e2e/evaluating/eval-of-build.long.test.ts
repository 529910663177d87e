import { readdir, writeFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { installSdk, makeFolder, type UserFolder } from "../packing/user-project.fixture.ts";
import { type Ended, runAgate } from "../run-agate.ts";
import { type RunningServer, startServer } from "../running-server.ts";

/** A workflow whose outputs and inner route have this mark. */
function app(mark: string, more = ""): string {
  return `import * as ag from "@agate/sdk";
class EchoConfig extends ag.BaseModel { prefix = ag.Field(ag.str, { default: ">" }); }
const sign = ag.route("/sign", EchoConfig)(async () => "${mark}");
export const echo = ag.route("/echo", EchoConfig)(async ({ text }: { text: string }, { config }) => {
  return { text: config.prefix + text + (await sign({})) };
});
${more}
`;
}

const EVAL = `import { evaluation } from "@agate/sdk/evals";
import { echo } from "./app.ts";
export const quality = evaluation("quality", {
  route: echo,
  testset: [{ id: "one", inputs: { text: "a" } }],
  scorers: {
    newest: ({ output }) => output.text.endsWith("new"),
    traced: async ({ trace }) => (await trace()).children?.length === 1,
  },
});
`;

let folder: UserFolder;
let server: RunningServer;
beforeAll(async () => {
  server = await startServer();
  folder = await makeFolder({
    "package.json": { name: "echo", type: "module", dependencies: { "@agate/sdk": "*" } },
    "app.ts": app("old"),
    "quality.eval.ts": EVAL,
  });
  await installSdk(folder.path);
  await deploy("production");
  await folder.write({ "app.ts": app("new") });
});
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  await folder?.[Symbol.asyncDispose]();
});

function agate(...args: readonly string[]): Promise<Ended> {
  return runAgate(args, {
    cwd: folder.path,
    env: { ...process.env, AGATE_BASE_URL: server.url },
  });
}

async function deploy(environment: string): Promise<void> {
  const ended = await agate("deploy", "app.ts", "--environment", environment, "--no-evals");
  expect(ended.code, ended.stderr).toBe(0);
}

async function outputsOf(run: string): Promise<unknown> {
  const response = await fetch(`${server.url}/registry/runs/${run}/results`);
  const { items } = (await response.json()) as {
    items: { column: string; output: unknown; scores: { name: string; value: number }[] }[];
  };
  return items.map(({ column, output, scores }) => [
    column,
    output,
    ...scores.map(({ name, value }) => `${name} ${value}`),
  ]);
}

const NEW = [{ text: ">anew" }, "newest 1", "traced 1"];
const OLD = [{ text: ">aold" }, "newest 0", "traced 1"];

it("compares this code with the build that is live in an environment, and keeps that build", async () => {
  const first = await agate("eval", "--baseline", "env:production", "--reporter", "json");
  expect([first.code, first.stderr]).toEqual([
    0,
    "env:production is build 1. It is fetched and started here.\n",
  ]);
  const [{ run, columns }] = JSON.parse(first.stdout).evaluations;
  expect(columns).toEqual({
    candidate: "this code",
    baseline: "env:production (build 1, default@1)",
  });
  expect(await outputsOf(run)).toEqual([
    ["candidate", ...NEW],
    ["baseline", ...OLD],
  ]);
  const reported = await fetch(`${server.url}/registry/runs/${run}`);
  expect(((await reported.json()) as { columns: unknown }).columns).toMatchObject([
    { ref: "this code", build: null },
    { ref: "env:production", variant: "default", revision: 1, build: { number: 1 } },
  ]);

  // A file that the disk has damaged is fetched again.
  const builds = folder.at(".agate/fetched/builds");
  const [kept, ...others] = await readdir(builds);
  expect(others).toEqual([]);
  await writeFile(`${builds}/${kept}/app.js`, "damaged");
  const second = await agate("eval", "--candidate", "env:production", "--reporter", "json");
  const [again] = JSON.parse(second.stdout).evaluations;
  expect(await outputsOf(again.run)).toEqual([["candidate", ...OLD]]);
  expect(await readdir(builds)).toEqual([kept]);
});

it("could not run where a build can't be started, or its key may not download it", async () => {
  const throws = 'if (process.env.AGATE_EVALUATOR_SOCKET) throw new Error("no database");';
  await folder.write({ "app.ts": app("new", throws) });
  await deploy("staging");
  await folder.write({ "app.ts": app("new") });
  const failed = await agate("eval", "--baseline", "env:staging");
  expect([failed.code, failed.stdout]).toEqual([2, ""]);
  expect(failed.stderr).toContain("no database");
  expect(failed.stderr).toContain(
    "agate: Build 2 did not start as an evaluator here (exit code 1)",
  );

  const { stdout } = await agate("keys", "create", "reader", "--scope", "read", "--json");
  const { key } = JSON.parse(stdout);
  const args = ["eval", "--no-report", "--baseline", "env:production", "--api-key", key];
  await folder.write({ "app.ts": app("newer") });
  await deploy("production");
  const refused = await agate(...args);
  expect([refused.code, refused.stdout]).toEqual([2, ""]);
  expect(refused.stderr).toContain("does not have the scope evaluate or deploy");
});
