import { describe, expect, it } from "vitest";
import { ApiError } from "../api/api-error.ts";
import { problemsAt, problemsBelow, problemsElsewhere, problemsFrom } from "./field-problem.ts";

function refused(
  ...details: readonly (readonly [readonly (string | number)[], string])[]
): ApiError {
  return new ApiError(422, {
    detail: details.map(([loc, msg]) => ({ loc, msg, type: "some" })),
  });
}

describe("problemsFrom", () => {
  const error = refused(
    [["body", "config", "marks"], "Takes a number of at most 5, not 9."],
    [["body", "inputs", "messages", 0, "content"], "Expected string."],
    [["body", "inputs"], "Give one of both."],
    [["body", "environment"], "There is none."],
    [[], "The app is busy."],
  );

  it("gives each form its own, and the rest as sentences to neither", () => {
    expect(problemsFrom(error, "config")).toEqual({
      mine: [{ path: ["marks"], message: "Takes a number of at most 5, not 9." }],
      others: ["environment: There is none.", "The app is busy."],
    });
    expect(problemsFrom(error, "inputs")).toEqual({
      mine: [
        { path: ["messages", 0, "content"], message: "Expected string." },
        { path: [], message: "Give one of both." },
      ],
      others: ["environment: There is none.", "The app is busy."],
    });
  });

  it("finds the fields of one route in a refused commit", () => {
    const commit = refused(
      [["body", "params", "/summarize", "sentences"], "Takes a whole number, not 1.5."],
      [["body", "params", "/embed", "model"], "Not that one."],
    );
    expect(problemsFrom(commit, "config", "/summarize")).toEqual({
      mine: [{ path: ["sentences"], message: "Takes a whole number, not 1.5." }],
      others: ["params./embed.model: Not that one."],
    });
  });

  it("says what the error says where it names nothing", () => {
    expect(problemsFrom(new ApiError(502, null), "config").others).toEqual([
      "The platform answered with 502.",
    ]);
  });
});

describe("problemsAt", () => {
  it("says at a field where in it the fault is, and the same thing once", () => {
    const problems = [
      { path: ["messages", 0, "content"], message: "Expected string." },
      { path: ["text"], message: "Too long." },
      { path: ["text"], message: "Too long." },
    ];
    expect(problemsAt(problems, "messages")).toBe("[0].content: Expected string.");
    expect(problemsAt(problems, "text")).toBe("Too long.");
    expect(problemsAt(problems, "other")).toBeUndefined();
  });
});

describe("problemsElsewhere", () => {
  it("is what no field of the form shows", () => {
    const problems = [
      { path: [], message: "Give one of both." },
      { path: ["gone"], message: "There is no such field." },
      { path: ["text"], message: "Too long." },
    ];
    expect(problemsElsewhere(problems, new Set(["text"]))).toEqual([
      "Give one of both.",
      "gone: There is no such field.",
    ]);
  });
});

it("gives the problems inside of a field from there, for names and for places in a list", () => {
  const problems = [
    { path: ["retrieval"], message: "All of it." },
    { path: ["retrieval", "weights", 2], message: "Too large." },
    { path: ["tone"], message: "Not this one." },
    { path: [], message: "The whole." },
  ];
  const below = problemsBelow(problems, "retrieval");
  expect(below).toEqual([
    { path: [], message: "All of it." },
    { path: ["weights", 2], message: "Too large." },
  ]);
  expect(problemsBelow(problemsBelow(below, "weights"), 2)).toEqual([
    { path: [], message: "Too large." },
  ]);
});
