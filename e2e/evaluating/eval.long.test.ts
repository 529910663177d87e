import { afterAll, beforeAll, expect, it } from "vitest";
import {
  APP,
  type EchoProject,
  evalFile,
  makeEchoProject,
  ONE,
} from "./echo-evaluation.fixture.ts";

let project: EchoProject;
beforeAll(async () => {
  project = await makeEchoProject();
});
afterAll(() => project[Symbol.asyncDispose]());

it.each([
  ["names a missing file", evalFile('"./none.jsonl"'), [], "file not found"],
  ["has an unknown name", evalFile(ONE), ["--only", "nope"], 'no evaluation "nope"'],
  ["has an unknown baseline", evalFile(ONE), ["--baseline", "run:nope"], "no run nope"],
  ["has a wrong option", evalFile(ONE), ["--trials", "0"], "1 or more"],
  ["needs a platform", evalFile('"golden"'), [], "AGATE_BASE_URL"],
  ["has a baseline of a platform", evalFile(ONE), ["--baseline", "env:x"], "AGATE_BASE_URL"],
])("could not run: an eval file that %s", (_what, evals, args, reason) =>
  project.expectRefused(evals, args, reason),
);

it("names the case that got worse than in an earlier run", async () => {
  const rows = '[{ id: "one", inputs: { text: "a" } }, { id: "two", inputs: { text: "b" } }]';
  const before = await project.evaluate(evalFile(rows), "--reporter", "json");
  const { run } = JSON.parse(before.stdout).evaluations[0];
  const worse = evalFile(rows).replace('startsWith(">")', 'endsWith("a")');
  const { stdout } = await project.evaluate(worse, "--baseline", `run:${run}`);
  // Both columns are judged by the scorer of now, so its change makes nothing worse.
  expect(stdout).not.toContain("Worse than the baseline");
  await project.write({
    "app.ts": APP.replace("config.prefix + text", '(text === "b" ? "" : ">") + text'),
  });
  const changed = await project.evaluate(evalFile(rows), "--baseline", `run:${run}`);
  await project.write({ "app.ts": APP });
  expect(changed.stdout).toMatch(/Worse than the baseline\n {2}two: right 1\.000 → 0\.000\n/);
});
