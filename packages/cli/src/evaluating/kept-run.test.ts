import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { KeptRun, type RunHeader, readRun, unfinishedRun } from "./kept-run.ts";

/** As many as a project keeps. */
const MOST_RUNS = 50;

let project: string;
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), "agate-kept-"));
});
afterEach(() => rmSync(project, { recursive: true, force: true }));

/** Of a header, what tells runs apart: the rest is kept as it is. */
function headerOf(number: number): RunHeader {
  return { run: `run-${number}`, evaluation: "quality" } as RunHeader;
}

/** Creates a run that was last written to at this second, so that runs have an order. */
function keep(number: number, isFinished = true): void {
  using kept = KeptRun.create(project, headerOf(number));
  if (isFinished) kept.finish();
  utimesSync(kept.path, number, number);
}

it("keeps the last 50 runs of a project, by when they were written to", () => {
  keep(1, false);
  // In another order than that of their names.
  for (let number = MOST_RUNS; number > 1; number--) keep(number);
  const runs = join(project, ".agate/evaluations");
  writeFileSync(join(runs, "notes.txt"), "mine");
  expect(readdirSync(runs)).toHaveLength(MOST_RUNS + 1);
  expect(readRun(project, "run-1")).toMatchObject({ header: headerOf(1), isFinished: false });

  keep(MOST_RUNS + 1);
  expect(readRun(project, "run-1")).toBeUndefined();
  expect(unfinishedRun(project, "quality")).toBeUndefined();
  const kept = readdirSync(runs).filter((name) => name.endsWith(".jsonl"));
  const expected = Array.from({ length: MOST_RUNS }, (_, n) => `run-${n + 2}.jsonl`);
  expect(kept.sort()).toEqual(expected.sort());
  expect(readdirSync(runs)).toContain("notes.txt");
});

it("deletes all that are too many at once", () => {
  keep(1);
  const runs = join(project, ".agate/evaluations");
  for (let number = 2; number < MOST_RUNS + 10; number++) {
    const path = join(runs, `copy-${number}.jsonl`);
    writeFileSync(path, `${JSON.stringify(headerOf(number))}\n`);
    utimesSync(path, number, number);
  }
  keep(1_000);
  expect(readdirSync(runs)).toHaveLength(MOST_RUNS);
  expect(readRun(project, "run-1000")).toBeDefined();
  expect(readRun(project, "copy-10")).toBeUndefined();
  expect(readRun(project, "copy-11")).toBeDefined();
});
