import type { ConfigFieldSchema, RouteSchema } from "@agate/protocol";
import { describe, expect, it } from "vitest";
import { ApiError } from "../api/api-error.ts";
import {
  checkConfig,
  problemsAt,
  problemsBelow,
  problemsElsewhere,
  problemsFrom,
} from "./field-problem.ts";

function refused(
  ...details: readonly (readonly [readonly (string | number)[], string])[]
): ApiError {
  return new ApiError(422, {
    detail: details.map(([loc, msg]) => ({ loc, msg, type: "some" })),
  });
}

describe("problemsFrom", () => {
  const error = refused(
    [["body", "config", "marks"], "Must be 5 or less (got 9)."],
    [["body", "inputs", "messages", 0, "content"], "Expected string."],
    [["body", "inputs"], "Give one of both."],
    [["body", "environment"], "There is none."],
    [[], "The app is busy."],
  );

  it("gives each form its own, and the rest as sentences to neither", () => {
    expect(problemsFrom(error, "config")).toEqual({
      mine: [{ path: ["marks"], message: "Must be 5 or less (got 9)." }],
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
      [["body", "params", "/summarize", "sentences"], "Must be a whole number (got 1.5)."],
      [["body", "params", "/embed", "model"], "Not that one."],
    );
    expect(problemsFrom(commit, "config", "/summarize")).toEqual({
      mine: [{ path: ["sentences"], message: "Must be a whole number (got 1.5)." }],
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

const slider = { default: 1, "x-ag-control": "slider" } as const;
const config: Readonly<Record<string, ConfigFieldSchema>> = {
  marks: { ...slider, type: "integer", minimum: 0, maximum: 5 },
  heat: { ...slider, type: "number", exclusiveMinimum: 0, exclusiveMaximum: 2 },
  tone: { type: "string", enum: ["loud", "calm"], default: "loud", "x-ag-control": "dropdown" },
  quiet: { type: "boolean", default: false, "x-ag-control": "checkbox" },
  prompt: { type: "string", default: "", "x-ag-control": "text-area" },
};
const route: RouteSchema = { route: "/shout", config, inputs: {} };

describe("checkConfig", () => {
  it("takes any part of the fields, and none", () => {
    expect(checkConfig(route, {})).toEqual([]);
    expect(checkConfig(route, { marks: 5, heat: 0.001, tone: "calm", quiet: true })).toEqual([]);
  });

  it.each([
    ["marks", 9, "Must be 5 or less (got 9)."],
    ["marks", -1, "Must be 0 or more (got -1)."],
    ["marks", 1.5, "Must be a whole number (got 1.5)."],
    ["marks", "many", 'Must be a whole number (got "many").'],
    ["marks", "", 'Must be a whole number (got "").'],
    ["heat", 0, "Must be greater than 0 (got 0)."],
    ["heat", 2, "Must be less than 2 (got 2)."],
    ["tone", "shrill", 'Must be "loud" or "calm" (got "shrill").'],
    ["quiet", "yes", 'Must be true or false (got "yes").'],
    ["prompt", 7, "Must be a string (got 7)."],
    ["mark", 3, 'There is no such field; did you mean "marks"?'],
  ])("says about %s = %j what the server would", (name, value, message) => {
    expect(checkConfig(route, { [name]: value })).toEqual([{ path: [name], message }]);
  });

  it("is not taken in by names that every object inherits", () => {
    const values = JSON.parse('{"__proto__": 1, "constructor": 2}');
    expect(checkConfig(route, values).map(({ path }) => path)).toEqual([
      ["__proto__"],
      ["constructor"],
    ]);
  });
});
