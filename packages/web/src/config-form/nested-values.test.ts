import type { ConfigFieldSchema, RouteSchema } from "@agate/protocol";
import { refusedBy } from "@agate/protocol";
import { describe, expect, it } from "vitest";
import { blankValue, nextMessage } from "./blank-value.ts";
import { fieldValue, knownFields, withDefaults } from "./config-values.ts";
import { checkConfig } from "./field-problem.ts";

const number = { type: "number", "x-ag-control": "slider" } as const;
const text = { type: "string", "x-ag-control": "text-area" } as const;

const route: RouteSchema = {
  route: "/search",
  inputs: {},
  config: {
    retrieval: {
      type: "object",
      default: { topK: 5, weights: [1] },
      properties: {
        topK: { ...number, type: "integer", default: 5, minimum: 1 },
        weights: { type: "array", items: number, default: [1], "x-ag-control": "list" },
        label: text,
      },
      additionalProperties: false,
      "x-ag-control": "group",
    },
    examples: {
      type: "array",
      default: [],
      items: {
        type: "object",
        properties: { input: text, weight: { ...number, default: 1 } },
        required: ["input"],
        additionalProperties: false,
        "x-ag-control": "group",
      },
      "x-ag-control": "list",
    },
    seed: { ...number, type: "integer" },
    style: { type: ["string", "null"], default: null, "x-ag-control": "text-area" },
  },
};

describe("the values of a nested configuration", () => {
  it("have the defaults of what is not said, and lists as they are", () => {
    expect(
      withDefaults(route, { retrieval: { topK: 3 }, examples: [{ input: "a" }], old: 1 }),
    ).toEqual({
      retrieval: { topK: 3, weights: [1] },
      examples: [{ input: "a", weight: 1 }],
      style: null,
      old: 1,
    });
    expect(fieldValue(route, { retrieval: { weights: [] } }, "retrieval")).toEqual({
      topK: 5,
      weights: [],
    });
    expect(withDefaults(route, {})).not.toHaveProperty("seed");
  });

  it("are known at every level; null takes out a field that may be left out", () => {
    expect(
      knownFields(route, {
        retrieval: { topK: 3, old: 1 },
        examples: [{ input: "a", old: 1 }],
        seed: null,
        style: null,
        old: 1,
      }),
    ).toEqual({ retrieval: { topK: 3 }, examples: [{ input: "a" }], style: null });
  });

  it("are checked at every level", () => {
    const values = { retrieval: { topK: 0, lable: "x" }, examples: [{ weight: "1" }], style: null };
    expect(checkConfig(route, values)).toEqual([
      { path: ["retrieval", "topK"], message: "Must be 1 or more (got 0)." },
      { path: ["retrieval", "lable"], message: 'There is no such field; did you mean "label"?' },
      { path: ["examples", 0, "input"], message: "Required: it has no default." },
      { path: ["examples", 0, "weight"], message: 'Must be a number (got "1").' },
    ]);
  });
});

describe("blankValue", () => {
  it.each<[ConfigFieldSchema, unknown]>([
    [{ ...text }, ""],
    [{ ...text, enum: [null, "a"] }, "a"],
    [{ ...number }, 0],
    [{ ...number, minimum: 2 }, 2],
    [{ ...number, type: "integer", exclusiveMinimum: 2 }, 3],
    [{ ...number, maximum: -3 }, -3],
    [{ type: "boolean", "x-ag-control": "checkbox" }, false],
    [{ ...number, default: 7 }, 7],
    [route.config.examples!.items!, { input: "", weight: 1 }],
    [{ type: "array", items: text, minItems: 2, "x-ag-control": "list" }, ["", ""]],
  ])("of %j is one that the field takes", (field, value) => {
    expect(blankValue(field)).toEqual(value);
    expect(refusedBy(field, value)).toBeUndefined();
  });

  it("goes on with a prompt in turns", () => {
    expect(nextMessage([])).toEqual({ role: "system", content: "" });
    expect(nextMessage([{ role: "system" }])).toEqual({ role: "user", content: "" });
    expect(nextMessage([{ role: "user" }])).toEqual({ role: "assistant", content: "" });
    expect(nextMessage([{ role: "assistant" }])).toEqual({ role: "user", content: "" });
  });
});
