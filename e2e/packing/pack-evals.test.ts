import { afterAll, beforeAll, expect, it } from "vitest";
import { formatProblems } from "../../packages/cli/src/packing/code-problem.ts";
import { evalFilesOf } from "../../packages/cli/src/packing/find-eval-files.ts";
import { type PackedBuild, packApp } from "../../packages/cli/src/packing/pack-app.ts";
import { plainPaint } from "../../packages/cli/src/terminal/plain-paint.fixture.ts";
import { EvaluatorClient } from "../../packages/platform/src/evaluations/evaluator-client.ts";
import { startBuild, unpack } from "./running-build.fixture.ts";
import { installSdk, makeFolder, type UserFolder } from "./user-project.fixture.ts";

const APP = `import * as ag from "@agate/sdk";

class EchoConfig extends ag.BaseModel {
  prefix = ag.Field(ag.str, { default: ">" });
}

export const echo = ag.route("/echo", EchoConfig)(
  async ({ text }: { text: string }, { config, evaluation }) =>
    config.prefix + text + (evaluation?.case ?? ""),
);
`;

const EVAL = `import { evaluation } from "@agate/sdk/evals";
import { echo } from "./app.ts";

export const quality = evaluation("quality", {
  route: echo,
  testset: "./cases.jsonl",
  scorers: { xyzzy: ({ output }) => output.length > 0 },
});
`;

const ITEM = { run: "r1", case: "c1", trial: 1 };

let user: UserFolder;

beforeAll(async () => {
  user = await makeFolder({
    "package.json": { name: "support", type: "module" },
    "app.ts": APP,
  });
  await installSdk(user.path);
});
afterAll(() => user[Symbol.asyncDispose]());

async function packed(findEvals: typeof evalFilesOf | undefined): Promise<PackedBuild> {
  const outcome = await packApp(user.at("app.ts"), { findEvals });
  if (outcome.kind === "packed") return outcome;
  throw new Error(JSON.stringify(outcome));
}

/** Starts one of a build's programs as an evaluator. */
async function startEvaluator({ files }: PackedBuild, program: string) {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await makeFolder());
  await unpack(files, folder.path);
  const socket = folder.at("evaluator.sock");
  stack.use(await startBuild(folder.path, program, { AGATE_EVALUATOR_SOCKET: socket }));
  const client = stack.use(new EvaluatorClient(socket));
  const moved = stack.move();
  return { client, [Symbol.asyncDispose]: () => moved.disposeAsync() };
}

it("become a program of their own, which the serving one has nothing of", async () => {
  await user.write({
    "quality.eval.ts": EVAL,
    "nested/package.json": { name: "another" },
    "nested/other.eval.ts": "this does not compile",
  });
  const without = await packed(undefined);
  const build = await packed(evalFilesOf);
  expect(build.evalFiles).toBe(1);
  expect(build.manifest).toMatchObject({ entry: "app.js", evals: "evals.js" });
  expect(without.manifest).not.toHaveProperty("evals");
  expect([...without.files.keys()]).not.toContain("evals.js");
  const code = Buffer.from(build.files.get("app.js")!);
  expect(code.equals(without.files.get("app.js")!)).toBe(true);
  expect(code.includes("xyzzy")).toBe(false);

  await using evaluator = await startEvaluator(build, "evals.js");
  expect(await evaluator.client.evaluations()).toMatchObject([
    { name: "quality", route: "/echo", testset: "./cases.jsonl", scorers: [{ name: "xyzzy" }] },
  ]);
  const called = await evaluator.client.call("/echo", { text: "hi " }, ITEM, { by: "code" });
  expect(called).toMatchObject({ output: ">hi c1", error: null });

  // A build without eval files can be a column of a run as well.
  await using alone = await startEvaluator(without, "app.js");
  expect(await alone.client.evaluations()).toEqual([]);
  expect(await alone.client.call("/echo", { text: "hi " }, ITEM, { by: "code" })).toMatchObject({
    output: ">hi c1",
  });
});

it("have the packages that only they import installed, devDependencies too", async () => {
  const dependency = { version: "1.2.3", resolved: "https://registry.test/rate.tgz" };
  await user.write({
    "package.json": { name: "support", type: "module", devDependencies: { rate: "^1.2.0" } },
    "package-lock.json": {
      name: "support",
      lockfileVersion: 3,
      packages: {
        "": { name: "support", devDependencies: { rate: "^1.2.0" } },
        "node_modules/rate": { ...dependency, integrity: "sha512-AA==", dev: true },
      },
    },
    "node_modules/rate/package.json": { name: "rate", version: "1.2.3", main: "index.js" },
    "node_modules/rate/index.js": "module.exports = () => 1;",
    "quality.eval.ts": `import rate from "rate";\n${EVAL.replace("output.length > 0", "rate(output)")}`,
  });
  const { files, packages } = await packed(evalFilesOf);
  expect(packages.map(({ name }) => name)).toContain("rate");
  const { dependencies } = JSON.parse(Buffer.from(files.get("package.json")!).toString());
  expect(dependencies).toEqual({ rate: "^1.2.0" });
  const lock = JSON.parse(Buffer.from(files.get("package-lock.json")!).toString());
  expect(lock.packages["node_modules/rate"]).toMatchObject({ version: "1.2.3" });
  expect(lock.packages["node_modules/rate"]).not.toHaveProperty("dev");
  expect((await packed(undefined)).packages).toEqual([]);
});

it("refuse the build where they do not compile", async () => {
  await user.write({ "quality.eval.ts": `import { missing } from "./nowhere.ts";\nmissing(;` });
  const outcome = await packApp(user.at("app.ts"), { findEvals: evalFilesOf });
  if (outcome.kind !== "broken-evals") throw new Error(JSON.stringify(outcome.kind));
  expect(formatProblems(outcome.problems, plainPaint)).toContain("quality.eval.ts");
});
