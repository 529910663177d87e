import { expect, it } from "vitest";
import type { EvaluatedBuild, EvaluatorFailure } from "./evaluators.ts";
import { EvaluatorFailed, MOST_LINES, NoRoomHere, RunProcesses } from "./run-processes.ts";

const BUILD = { id: "bld_1", number: 1 };
const APPLICATION: Pick<EvaluatedBuild, "project" | "application"> = {
  project: "default",
  application: { id: "app_1", slug: "support" },
};

/** What becomes of a run whose process cannot be started. */
async function thrown(failure: EvaluatorFailure): Promise<Error> {
  await using processes = new RunProcesses({
    evaluators: { start: async () => failure },
    application: APPLICATION,
    environment: "development",
    run: "run_1",
    signal: new AbortController().signal,
  });
  return processes.start([BUILD]).then(
    () => expect.fail("It can't be started."),
    (error: Error) => error,
  );
}

it("tells the last lines of a process that can't be started", async () => {
  const lines = Array.from({ length: MOST_LINES + 1 }, (_, n) => `line ${n}`);
  const last = lines.slice(1);
  const sentence = "The evaluator process of build 1 can't be started. It ended.";
  for (const log of [last, lines]) {
    const error = await thrown({ kind: "failed", reason: "It ended.", log });
    expect(error).toBeInstanceOf(EvaluatorFailed);
    expect(error.message.split("\n")).toEqual([sentence, ...last]);
  }
});

it("tells a server without room from a build that is broken", async () => {
  const full = { kind: "failed", cause: "no-room", reason: "There is no room.", log: [] } as const;
  const error = await thrown(full);
  expect(error).toBeInstanceOf(NoRoomHere);
  expect(error.message).toBe("There is no room.");
});
