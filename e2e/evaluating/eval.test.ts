import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { installSdk, makeFolder, type UserFolder } from "../packing/user-project.fixture.ts";
import { type Ended, runAgate } from "../run-agate.ts";

const APP = `import { appendFileSync } from "node:fs";
import * as ag from "@agate/sdk";
class EchoConfig extends ag.BaseModel { prefix = ag.Field(ag.str, { default: ">" }); }
const search = ag.instrument({ name: "search", kind: "TOOL" })(async (text: string) => text);
let busy = 0;
export const echo = ag.route("/echo", EchoConfig)(async ({ text }: { text: string }, { config, evaluation }) => {
  appendFileSync("calls.txt", evaluation?.case + " " + evaluation?.trial + "\\n");
  if (text === "broken") throw new Error("it broke");
  if (text === "busy" && busy++ === 0) throw new Error("no answer", { cause: { status: 429 } });
  if (text === "slow") await new Promise((resolve) => setTimeout(resolve, 300));
  await search(text);
  return { text: config.prefix + text };
});
// The program serves itself: an evaluation must not take its port.
await ag.serve();
`;

function evalFile(testset: string, more = ""): string {
  return `import { checks, evaluation, skip } from "@agate/sdk/evals";
import { echo } from "./app.ts";
export const quality = evaluation("quality", {
  route: echo,
  testset: ${testset},
  scorers: {
    right: ({ output }) => output.text.startsWith(">"),
    searched: checks.calls("search"),
  },
  ${more}
});
`;
}

const ONE = '[{ id: "one", inputs: { text: "a" } }]';

let folder: UserFolder;
beforeAll(async () => {
  folder = await makeFolder({
    "package.json": { name: "echo", type: "module", dependencies: { "@agate/sdk": "*" } },
    "app.ts": APP,
  });
  await installSdk(folder.path);
});
afterAll(() => folder[Symbol.asyncDispose]());

async function evaluate(evals: string, ...args: string[]): Promise<Ended> {
  await folder.write({ "quality.eval.ts": evals, "calls.txt": "" });
  return runAgate(["eval", ...args], { cwd: folder.path });
}

it("ends with the code of its verdict", async () => {
  const rows = '[{ id: "one", inputs: { text: "a" } }, { id: "bad", inputs: { text: "broken" } }]';
  const passed = await evaluate(
    evalFile(ONE, "gate: { scores: { right: { min: 1 }, searched: { min: 1 } } },"),
  );
  expect(passed.stdout).toContain("✓ Passed.");
  expect(passed.code).toBe(0);
  const ungated = await evaluate(evalFile(ONE));
  expect(ungated.stdout).toContain("no gate");
  expect(ungated.code).toBe(0);
  const failed = await evaluate(evalFile(rows, "gate: { errors: { share: 0.1 } },"));
  expect(failed.stdout).toContain("bad: it broke");
  expect(failed.code).toBe(1);
  const undecided = await evaluate(evalFile(rows, "gate: { scores: { right: { min: 0.9 } } },"));
  expect(undecided.stdout).toContain("1.000, but 1 value is missing");
  expect(undecided.code).toBe(3);
  const unscored = await evaluate(
    evalFile(ONE, "gate: { scores: { right: { notWorseBy: 0.1 } } },"),
  );
  expect(unscored.stderr).toContain("pass --baseline");
  expect(unscored.code).toBe(2);
});

it.each([
  ["does not compile", `${evalFile(ONE)}const isGood tru;`, [], 'Expected ";" but found "tru"'],
  ["throws", `${evalFile(ONE)}throw new Error("not today");`, [], "not today"],
  ["declares nothing", "export {};", [], "declare no evaluation"],
  ["names a missing file", evalFile('"./none.jsonl"'), [], "file not found"],
  ["has an unknown name", evalFile(ONE), ["--only", "nope"], 'no evaluation "nope"'],
  ["has an unknown baseline", evalFile(ONE), ["--baseline", "run:nope"], "no run nope"],
  ["has a wrong option", evalFile(ONE), ["--trials", "0"], "1 or more"],
  ["needs a platform", evalFile('"golden"'), [], "AGATE_BASE_URL"],
  ["has a baseline of a platform", evalFile(ONE), ["--baseline", "env:x"], "AGATE_BASE_URL"],
] as const)("could not run: an eval file that %s", async (_what, evals, args, reason) => {
  const ended = await evaluate(evals, ...args);
  expect(ended.stderr).toContain(reason);
  expect(ended.code).toBe(2);
  expect(await readFile(folder.at("calls.txt"), "utf8")).toBe("");
});

it("could not run without a case, and without an eval file", async () => {
  await folder.write({ "none.jsonl": "\n" });
  const empty = await evaluate(evalFile('"./none.jsonl"'));
  expect(empty.stderr).toContain("has no cases");
  expect(empty.code).toBe(2);
  await using other = await makeFolder({ "package.json": { name: "empty", type: "module" } });
  const none = await runAgate(["eval"], { cwd: other.path });
  expect(none.stderr).toContain("No eval files below");
  expect(none.code).toBe(2);
});

it("reads cases from files, and repeats only what a busy model refused", async () => {
  await folder.write({ "cases.csv": "id,inputs.text\none,a\ntwo,busy\nthree,broken\n" });
  const { stdout, code } = await evaluate(evalFile('"./cases.csv"'), "--reporter", "json");
  const [run] = JSON.parse(stdout).evaluations;
  expect(code).toBe(0);
  expect(run.figures.columns[0]).toMatchObject({ results: 3, errors: 1 });
  const calls = (await readFile(folder.at("calls.txt"), "utf8")).trim().split("\n");
  expect(calls.sort()).toEqual(["one 0", "three 0", "two 0", "two 0"]);
});

it("names the case that got worse than in an earlier run", async () => {
  const rows = '[{ id: "one", inputs: { text: "a" } }, { id: "two", inputs: { text: "b" } }]';
  const before = await evaluate(evalFile(rows), "--reporter", "json");
  const { run } = JSON.parse(before.stdout).evaluations[0];
  const worse = evalFile(rows).replace('startsWith(">")', 'endsWith("a")');
  const { stdout } = await evaluate(worse, "--baseline", `run:${run}`);
  // Both columns are judged by the scorer of now, so its change makes nothing worse.
  expect(stdout).not.toContain("Worse than the baseline");
  await folder.write({
    "app.ts": APP.replace("config.prefix + text", '(text === "b" ? "" : ">") + text'),
  });
  const changed = await evaluate(evalFile(rows), "--baseline", `run:${run}`);
  await folder.write({ "app.ts": APP });
  expect(changed.stdout).toMatch(/Worse than the baseline\n {2}two: right 1\.000 → 0\.000\n/);
});

it("continues after an interruption without making a call twice", async () => {
  const rows = `Array.from({ length: 12 }, (_, at) => ({ id: "case-" + at, inputs: { text: "slow" } }))`;
  await folder.write({ "quality.eval.ts": evalFile(rows, "concurrency: 2,"), "calls.txt": "" });
  const agate = fileURLToPath(new URL("../../packages/cli/dist/agate.js", import.meta.url));
  const child = spawn(process.execPath, [agate, "eval"], {
    cwd: folder.path,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const printed = Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  const runs = folder.at(".agate", "evaluations");
  const known = new Set(await readdir(runs));
  for (;;) {
    const created = (await readdir(runs)).find((name) => !known.has(name));
    const lines = created ? (await readFile(`${runs}/${created}`, "utf8")).split("\n").length : 0;
    if (lines > 3) break;
    await new Promise((resolve) => setImmediate(resolve));
  }
  child.kill("SIGINT");
  const [stdout] = await printed;
  expect(child.exitCode).toBe(130);
  expect(stdout).toContain("--resume");
  const resumed = await runAgate(["eval", "--resume"], { cwd: folder.path });
  expect(resumed.code).toBe(0);
  const calls = (await readFile(folder.at("calls.txt"), "utf8")).trim().split("\n");
  expect(calls.sort()).toEqual(Array.from({ length: 12 }, (_, at) => `case-${at} 0`).sort());
});
