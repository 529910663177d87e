import { describe, expect, it } from "vitest";
import { overloadStatus } from "./overload-status.ts";
import { failedScore, skip, toScoreResult } from "./scorer-result.ts";

describe("what a scorer returns", () => {
  it.each([
    [true, { status: "ok", value: 1, label: "yes" }],
    [false, { status: "ok", value: 0, label: "no" }],
    [0, { status: "ok", value: 0 }],
    [1, { status: "ok", value: 1 }],
    [0.25, { status: "ok", value: 0.25 }],
    [{ value: 0.5 }, { status: "ok", value: 0.5 }],
    [
      { value: true, label: "fine" },
      { status: "ok", value: 1, label: "fine" },
    ],
    [
      { value: 0.5, label: undefined, explanation: "why", metadata: { samples: [1] } },
      { status: "ok", value: 0.5, explanation: "why", metadata: { samples: [1] } },
    ],
    [skip("no source"), { status: "skipped", explanation: "no source" }],
  ])("%j is a score", (returned, expected) => {
    expect(toScoreResult(returned)).toEqual(expected);
  });

  it.each([
    Number.NaN,
    -0.001,
    1.001,
    Infinity,
    85,
    "0.5",
    "yes",
    null,
    undefined,
    [1],
    {},
    { score: 1 },
    { value: "1" },
    { value: null },
    { value: 2 },
    { value: 1, label: 3 },
    { value: 1, explanation: {} },
    { value: 1, metadata: "x" },
    { value: 1, explaination: "mistyped" },
    { status: "ok", value: 1 },
    () => 1,
    1n,
  ])("%o is a failed score, which has no value", (returned) => {
    const result = toScoreResult(returned);
    expect(result).toEqual({ status: "failed", error: expect.stringMatching(/\w/) });
  });

  it("is read with care", () => {
    const getter = {
      get value(): number {
        throw new Error("a getter");
      },
    };
    expect(toScoreResult(getter)).toEqual({ status: "failed", error: "a getter" });
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect(toScoreResult(proxy)).toMatchObject({ status: "failed" });
  });
});

describe("what a scorer throws", () => {
  it("is a failed score with the message", () => {
    expect(failedScore(new Error("no answer"))).toEqual({ status: "failed", error: "no answer" });
    expect(failedScore("text")).toEqual({ status: "failed", error: "text" });
  });

  it("says that a model was overloaded", () => {
    const thrown = new Error("gave up", { cause: { status: 529 } });
    expect(failedScore(thrown)).toEqual({ status: "failed", error: "gave up", overload: 529 });
  });
});

describe("the status of an overloaded model", () => {
  const wrapped = (depth: number, inner: unknown): unknown =>
    depth === 0 ? inner : new Error("outer", { cause: wrapped(depth - 1, inner) });

  it.each([
    ["of the error itself", Object.assign(new Error("busy"), { status: 429 }), 429],
    ["as the AI SDK names it", { statusCode: 503 }, 503],
    ["in a cause", new Error("x", { cause: { status: 529 } }), 529],
    ["in the last error of retries", { lastError: { statusCode: 429 } }, 429],
    ["in a list of errors", { errors: [new Error("first"), { status: 429 }] }, 429],
    ["of a response", { response: { status: 503 } }, 503],
    ["deep", wrapped(60, { status: 429 }), 429],
  ])("is found %s", (_where, thrown, status) => expect(overloadStatus(thrown)).toBe(status));

  it.each([
    ["another status", { status: 500 }],
    ["a status inside another", { status: 400, cause: { statusCode: 404 } }],
    ["a text", "429"],
    ["a number", 429],
    ["a text as status", { status: "429" }],
    ["nothing", undefined],
    ["deeper than any chain of causes", wrapped(64, { status: 429 })],
  ])("is not taken from %s", (_what, thrown) => expect(overloadStatus(thrown)).toBeUndefined());

  it("is looked for in errors that contain themselves, and in hostile ones", () => {
    const circular: { cause?: unknown; lastError?: unknown } = {};
    circular.cause = circular;
    expect(overloadStatus(circular)).toBeUndefined();
    circular.lastError = { status: 429 };
    expect(overloadStatus(circular)).toBe(429);
    const hostile = {
      get status(): number {
        throw new Error("no");
      },
      cause: { status: 503 },
    };
    expect(overloadStatus(hostile)).toBe(503);
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect(overloadStatus(proxy)).toBeUndefined();
  });
});
