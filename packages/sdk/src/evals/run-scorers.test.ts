import type { SpanRecord } from "@agate/protocol";
import { expect, it } from "vitest";
import { createApp } from "../app/create-app.ts";
import { BaseModel } from "../config/base-model.ts";
import { Field, float, str } from "../config/field.ts";
import { type Evaluation, evaluation } from "./evaluation.ts";
import { runScorers } from "./run-scorers.ts";
import { scorer, scorerConfig } from "./scorer.ts";
import { skip } from "./scorer-result.ts";
import type { Judged, Scorer } from "./scorer-types.ts";

class NoConfig extends BaseModel {}
const route = createApp().route("/echo", NoConfig)(({ text }: { text: string }) => ({ text }));

let count = 0;
function declare(
  scorers: Record<string, Scorer<typeof route>>,
  scorerTimeout?: number,
): Evaluation {
  count += 1;
  const testset = [{ inputs: { text: "a" } }];
  return evaluation(`run-${count}`, { route, testset, scorers, scorerTimeout });
}

const judged: Judged<typeof route> = {
  inputs: { text: "a" },
  output: { text: "b" },
  expected: ["x", "y"],
  metadata: {},
  case: "one",
  trial: 0,
  trace: () => Promise.reject(new Error("The trace did not arrive.")),
};

it("scores with all scorers, whatever becomes of each", async () => {
  const tested = declare({
    right: ({ output }) => output.text === "b",
    slow: async () => 0.5,
    throws: () => {
      throw new Error("broken");
    },
    rejects: () => Promise.reject(Object.assign(new Error("busy"), { status: 429 })),
    skips: () => skip("not this one"),
    nonsense: () => 7,
    traced: async ({ trace }) => (await trace()).name === "echo",
  });
  expect(await runScorers(tested, judged)).toEqual({
    right: { status: "ok", value: 1, label: "yes" },
    slow: { status: "ok", value: 0.5 },
    throws: { status: "failed", error: "broken" },
    rejects: { status: "failed", error: "busy", overload: 429 },
    skips: { status: "skipped", explanation: "not this one" },
    nonsense: { status: "failed", error: expect.stringContaining("from 0 to 1") },
    traced: { status: "failed", error: "The trace did not arrive." },
  });
});

it("fails a scorer that takes too long, and tells it to stop", async () => {
  let stopped: Promise<unknown> | undefined;
  const tested = declare(
    {
      never: (_judged, { signal }) => {
        stopped = new Promise((resolve) =>
          signal.addEventListener("abort", () => resolve(signal.reason)),
        );
        return new Promise(() => {});
      },
      quick: () => 1,
    },
    20,
  );
  const { never, quick } = await runScorers(tested, judged);
  expect(never).toEqual({ status: "failed", error: "The scorer took longer than 20 ms." });
  expect(quick).toEqual({ status: "ok", value: 1 });
  expect(await stopped).toMatchObject({ name: "TimeoutError" });
});

it("rejects when the run is stopped: an interrupted scorer has not failed", async () => {
  const stop = new AbortController();
  const reason = new Error("interrupted");
  const tested = declare({
    waits: (_judged, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(new Error("of its own")));
        stop.abort(reason);
      }),
  });
  await expect(runScorers(tested, judged, { signal: stop.signal })).rejects.toBe(reason);
  await expect(runScorers(tested, judged, { signal: stop.signal })).rejects.toBe(reason);
});

it("gives each scorer values of its own, and one trace to all", async () => {
  let traces = 0;
  const trace = async () => {
    traces += 1;
    return { name: "echo" } as SpanRecord;
  };
  const reverses: Scorer<typeof route> = async ({ expected, trace }) => {
    const [first] = (expected as string[]).reverse();
    return first === "y" && (await trace()).name === "echo";
  };
  const results = await runScorers(declare({ one: reverses, two: reverses }), { ...judged, trace });
  expect(Object.values(results).map(({ status }) => status)).toEqual(["ok", "ok"]);
  expect(Object.values(results)).toEqual(Array(2).fill({ status: "ok", value: 1, label: "yes" }));
  expect(traces).toBe(1);
});

class Strictness extends BaseModel {
  word = Field(str, { default: "b" });
  points = Field(float, { default: 0.5, ge: 0, le: 1 });
}
const strict = scorer(
  "strictness",
  Strictness,
)(({ output }: Judged<typeof route>, { config }) =>
  output.text === config.word ? config.points : 0,
);

it("runs a configured scorer with its defaults, or with a pinned configuration", async () => {
  const tested = declare({ named: strict });
  expect(await runScorers(tested, judged)).toEqual({ named: { status: "ok", value: 0.5 } });
  const pinned = { configs: { strictness: { points: 1, gone: true } } };
  expect(await runScorers(tested, judged, pinned)).toEqual({ named: { status: "ok", value: 1 } });
  const wrong = { configs: { strictness: { points: 2 } } };
  expect(await runScorers(tested, judged, wrong)).toEqual({
    named: { status: "failed", error: expect.stringContaining("points") },
  });
  expect(scorerConfig(strict)?.fields.map(({ name }) => name)).toEqual(["word", "points"]);
  expect(scorerConfig(() => 1)).toBeUndefined();
});

it("is a function that tests can call", async () => {
  const call = { signal: new AbortController().signal };
  expect(await strict(judged, call)).toBe(0.5);
  expect(await strict(judged, { ...call, config: { word: "z" } })).toBe(0);
});

it("refuses a scorer's name that is no slug", () => {
  expect(() => scorer("Not A Slug", Strictness)).toThrow("lower-case letters");
});
