import { describe, expect, it } from "vitest";
import { BaseModel } from "./base-model.ts";
import { compileConfig } from "./compile-config.ts";
import { configJsonSchema, controlOf } from "./config-json-schema.ts";
import { bool, Field, float, GroupedMultipleChoice, int, MultipleChoice, str } from "./field.ts";

class EveryKind extends BaseModel {
  prompt = Field(str, { default: "Hi.", title: "Prompt", description: "What to ask for." });
  temperature = Field(float, { default: 0.7, ge: 0, lt: 2 });
  maxTokens = Field(int, { default: -1, gt: -2, le: 4096 });
  seed = Field(int, { default: 0 });
  bullets = Field(bool, { default: false });
  tone = Field(MultipleChoice({ choices: ["plain", "formal"] }), { default: "plain" });
  model = Field(GroupedMultipleChoice({ choices: { A: ["x", "y"], B: ["x", "z"] } }), {
    default: "x",
  });
}

describe("configJsonSchema", () => {
  it("describes every kind of field, with its control", () => {
    expect(configJsonSchema(compileConfig(EveryKind))).toEqual({
      type: "object",
      title: "EveryKind",
      properties: {
        prompt: {
          type: "string",
          default: "Hi.",
          title: "Prompt",
          description: "What to ask for.",
          "x-ag-control": "text-area",
        },
        temperature: {
          type: "number",
          minimum: 0,
          exclusiveMaximum: 2,
          default: 0.7,
          "x-ag-control": "slider",
        },
        maxTokens: {
          type: "integer",
          exclusiveMinimum: -2,
          maximum: 4096,
          default: -1,
          "x-ag-control": "slider",
        },
        seed: { type: "integer", default: 0, "x-ag-control": "slider" },
        bullets: { type: "boolean", default: false, "x-ag-control": "checkbox" },
        tone: {
          type: "string",
          enum: ["plain", "formal"],
          default: "plain",
          "x-ag-control": "dropdown",
        },
        model: {
          type: "string",
          enum: ["x", "y", "z"],
          "x-ag-groups": { A: ["x", "y"], B: ["x", "z"] },
          default: "x",
          "x-ag-control": "grouped-dropdown",
        },
      },
      additionalProperties: false,
    });
  });

  it("is JSON, without what a field does not have", () => {
    const schema = configJsonSchema(compileConfig(EveryKind));
    expect(JSON.parse(JSON.stringify(schema))).toStrictEqual(schema);
  });

  it("names the control of each field", () => {
    expect(compileConfig(EveryKind).fields.map(controlOf)).toEqual([
      "text-area",
      "slider",
      "slider",
      "slider",
      "checkbox",
      "dropdown",
      "grouped-dropdown",
    ]);
  });
});
