import type { Run, RunColumn } from "@agate/protocol";
import { expect, test } from "vitest";
import { sameAgain } from "./same-again.ts";

const column = (name: string, ref: string): RunColumn => ({
  name,
  ref,
  build: { id: "bld_1", number: 4 },
  variant: "default",
  revision: 9,
});

const run = {
  runner: "platform",
  application: "tickets",
  evaluation: "labels",
  testset: { kind: "testset", name: "golden", revision: 3, hash: null },
  columns: [column("candidate", "default"), column("baseline", "env:production")],
  trials: 2,
  plan: { cases: 7, concurrency: 4, max_cost: 0.5, environment: "staging", build: null },
  message: "Why?",
} as unknown as Run;

test("A run is started again with the revisions, cases and limits that it had", () => {
  expect(sameAgain(run)).toEqual({
    application: "tickets",
    evaluation: "labels",
    candidate: "default@9",
    baseline: "env:production",
    testset: "golden@3",
    trials: "2",
    max_cost: "0.5",
    environment: "staging",
    message: "Why?",
  });
});

test("Cases of the code, and no baseline, stay so", () => {
  const testset: Run["testset"] = { kind: "inline", name: null, revision: null, hash: "x" };
  const again = sameAgain({ ...run, testset, columns: [column("candidate", "run:r0")] });
  expect(again).toMatchObject({ candidate: "run:r0", baseline: "" });
  expect(again).not.toHaveProperty("testset");
});

test("A run that a client carried out cannot be started here", () => {
  expect(sameAgain({ ...run, runner: "client" })).toBeNull();
});
