import { judgeRun } from "@agate/protocol/statistics";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createApp } from "../app/create-app.ts";
import { BaseModel } from "../config/base-model.ts";
import { DeclarationError } from "../config/declaration-error.ts";
import { declaredEvaluations, type Evaluation, evaluation } from "./evaluation.ts";

class NoConfig extends BaseModel {}
const route = createApp().route("/echo", NoConfig)(({ text }: { text: string }) => ({ text }));
const scorers = { right: () => 1, short: () => true };
const testset = [{ inputs: { text: "a" } }];

it("is found by a runner, exported or not, with its defaults", () => {
  const expected = z.object({ text: z.string() });
  evaluation("plain", { route, testset: "golden@3", scorers: { right: () => 1 } });
  const full = evaluation("full", {
    route,
    testset,
    expected,
    scorers,
    trials: 3,
    concurrency: 32,
    scorerTimeout: 5000,
    gate: { scores: { right: { min: 0.9 } }, errors: { share: 0 } },
  });
  const [plain, ...rest] = declaredEvaluations();
  expect(plain).toMatchObject({
    name: "plain",
    route,
    testset: "golden@3",
    trials: 1,
    concurrency: 8,
    scorerTimeout: 60_000,
    gate: undefined,
    expected: undefined,
  });
  expect(rest).toEqual([full]);
  expect(full).toMatchObject({ trials: 3, concurrency: 32, scorerTimeout: 5000, expected });
  expect(Object.keys(full.scorers)).toEqual(["right", "short"]);
  const calls = { costs: [], latencies: [], errors: 0, calls: 1 };
  const scores = { right: [{ candidate: [1, 1, 0.9] }] };
  expect(judgeRun(full.gate ?? {}, { scores, calls }).verdict).toBe("passed");
});

/** Declares with options that the compiler would refuse. */
let count = 0;
function declare(options: object, name = `wrong-${count++}`): Evaluation {
  return evaluation(name, { route, testset, scorers, ...options } as never);
}

describe("a wrong declaration", () => {
  it.each([
    [{ route: undefined }, "route must be a route of your application"],
    [{ route: () => 1 }, "route must be a route of your application"],
    [{ gates: {} }, 'no option "gates"; did you mean "gate"?'],
    [{ testset: "" }, "testset must be a name"],
    [{ testset: 5 }, "testset must be a name"],
    [{ testset: [] }, "testset has no cases"],
    [{ testset: [{ inputs: 1 }, { input: 2 }] }, "testset[1] must be a case"],
    [{ expected: {} }, "expected must be a schema"],
    [{ scorers: {} }, "scorers must have at least one"],
    [{ scorers: { right: 1 } }, 'the scorer "right" must be a function'],
    [{ scorers: { "so<so": () => 1 } }, 'the scorer "so<so": use up to 64 lower-case letters'],
    [{ gate: 1 }, "The gate must be an object"],
    [{ gate: { score: {} } }, 'no option "score"; did you mean "scores"?'],
    [{ gate: { scores: { rigth: { min: 1 } } } }, 'no scorer "rigth"; did you mean "right"?'],
    [{ gate: { scores: { right: {} } } }, "must have min, notWorseBy or both"],
    [{ gate: { scores: { right: { max: 1 } } } }, 'no option "max"'],
    [{ gate: { scores: { right: { min: 85 } } } }, "min must be a number from 0 to 1 (got 85)"],
    [{ gate: { scores: { right: { notWorseBy: -0.1 } } } }, "from 0 to 1 (got -0.1)"],
    [{ gate: { cost: {} } }, "mean must be a number of 0 or more"],
    [{ gate: { cost: 1 } }, "The gate's cost must be { mean: … }"],
    [{ gate: { latency: { p99: 1 } } }, 'no option "p99"'],
    [{ gate: { latency: { p95: Number.NaN } } }, "p95 must be a number of 0 or more"],
    [{ gate: { errors: { share: 1.5 } } }, "share must be a number from 0 to 1"],
  ])("%j says what to write", (options, message) => {
    expect(() => declare(options)).toThrow(DeclarationError);
    expect(() => declare(options)).toThrow(message);
  });

  it.each([
    ["trials", 100],
    ["concurrency", 1000],
    ["scorerTimeout", 3_600_000],
  ])("%s is a whole number up to %d", (name, most) => {
    expect(declare({ [name]: most })).toHaveProperty(name, most);
    expect(declare({ [name]: 1 })).toHaveProperty(name, 1);
    for (const wrong of [0, most + 1, 1.5, "3", Number.NaN]) {
      expect(() => declare({ [name]: wrong })).toThrow(`${name} must be a whole number from 1 to`);
    }
  });

  it("has a name of its own, a slug", () => {
    declare({}, "twice");
    expect(() => declare({}, "twice")).toThrow("another evaluation has this name");
    expect(() => declare({}, "a".repeat(64))).not.toThrow();
    expect(() => declare({}, "a".repeat(65))).toThrow("up to 64");
    expect(() => declare({}, "Not a slug")).toThrow("lower-case letters");
  });

  it("leaves nothing behind", () => {
    const before = declaredEvaluations().length;
    expect(() => declare({ trials: 0 }, "left-behind")).toThrow();
    expect(declaredEvaluations()).toHaveLength(before);
  });

  it("takes names of scorers of up to 64 characters", () => {
    expect(() => declare({ scorers: { ["a".repeat(64)]: () => 1 } })).not.toThrow();
    expect(() => declare({ scorers: { ["a".repeat(65)]: () => 1 } })).toThrow("up to 64");
  });
});
