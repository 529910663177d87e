import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { makeFolder } from "../packing/user-project.fixture.ts";
import { runAgate } from "../run-agate.ts";
import { type EchoProject, evalFile, makeEchoProject, ONE } from "./echo-evaluation.fixture.ts";

let project: EchoProject;
beforeAll(async () => {
  project = await makeEchoProject();
});
afterAll(() => project[Symbol.asyncDispose]());

it("ends with the code of its verdict", async () => {
  const rows = '[{ id: "one", inputs: { text: "a" } }, { id: "bad", inputs: { text: "broken" } }]';
  const passed = await project.evaluate(
    evalFile(ONE, "gate: { scores: { right: { min: 1 }, searched: { min: 1 } } },"),
  );
  expect(passed.stdout).toContain("✓ Passed.");
  expect(passed.code).toBe(0);
  const ungated = await project.evaluate(evalFile(ONE));
  expect(ungated.stdout).toContain("no gate");
  expect(ungated.code).toBe(0);
  await project.write({ "quality.eval.ts": evalFile(rows, "gate: { errors: { share: 0.1 } },") });
  const failed = await runAgate(["eval"], { cwd: project.path });
  expect(failed.stdout).toContain("bad: it broke");
  expect(failed.code).toBe(1);
  const undecided = await project.evaluate(
    evalFile(rows, "gate: { scores: { right: { min: 0.9 } } },"),
  );
  expect(undecided.stdout).toContain("1.000, but 1 value is missing");
  expect(undecided.code).toBe(3);
  const unscored = await project.evaluate(
    evalFile(ONE, "gate: { scores: { right: { notWorseBy: 0.1 } } },"),
  );
  expect(unscored.stderr).toContain("pass --baseline");
  expect(unscored.code).toBe(2);
});

it.each([
  ["does not compile", `${evalFile(ONE)}const isGood tru;`, 'Expected ";" but found "tru"'],
  ["throws", `${evalFile(ONE)}throw new Error("not today");`, "not today"],
  ["declares nothing", "export {};", "declare no evaluation"],
])("could not run: an eval file that %s", (_what, evals, reason) =>
  project.expectRefused(evals, [], reason),
);

it("could not run without a case, and without an eval file", async () => {
  await project.write({ "none.jsonl": "\n" });
  const empty = await project.evaluate(evalFile('"./none.jsonl"'));
  expect(empty.stderr).toContain("has no cases");
  expect(empty.code).toBe(2);
  await using other = await makeFolder({ "package.json": { name: "empty", type: "module" } });
  const none = await runAgate(["eval"], { cwd: other.path });
  expect(none.stderr).toContain("No eval files below");
  expect(none.code).toBe(2);
});

it("reads cases from files, and repeats only what a busy model refused", async () => {
  await project.write({ "cases.csv": "id,inputs.text\none,a\ntwo,busy\nthree,broken\n" });
  const { stdout, code } = await project.evaluate(evalFile('"./cases.csv"'), "--reporter", "json");
  const [run] = JSON.parse(stdout).evaluations;
  expect(code).toBe(0);
  expect(run.figures.columns[0]).toMatchObject({ results: 3, errors: 1 });
  const calls = (await readFile(project.at("calls.txt"), "utf8")).trim().split("\n");
  expect(calls.sort()).toEqual(["one 0", "three 0", "two 0", "two 0"]);
});

it("continues after an interruption without making a call twice", async () => {
  const rows = `Array.from({ length: 12 }, (_, at) => ({ id: "case-" + at, inputs: { text: "slow" } }))`;
  await project.write({ "quality.eval.ts": evalFile(rows, "concurrency: 2,"), "calls.txt": "" });
  const agate = fileURLToPath(new URL("../../packages/cli/dist/agate.js", import.meta.url));
  const child = spawn(process.execPath, [agate, "eval"], {
    cwd: project.path,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const printed = Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  const runs = project.at(".agate", "evaluations");
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
  const resumed = await runAgate(["eval", "--resume"], { cwd: project.path });
  expect(resumed.code).toBe(0);
  const calls = (await readFile(project.at("calls.txt"), "utf8")).trim().split("\n");
  expect(calls.sort()).toEqual(Array.from({ length: 12 }, (_, at) => `case-${at} 0`).sort());
});
