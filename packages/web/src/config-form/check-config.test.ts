import type { ConfigFieldSchema, RouteSchema } from "@agate/protocol";
import { describe, expect, it } from "vitest";
import { checkConfig } from "./check-config.ts";

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
    ["marks", 9, "Takes a number of at most 5, not 9."],
    ["marks", -1, "Takes a number of at least 0, not -1."],
    ["marks", 1.5, "Takes a whole number, not 1.5."],
    ["marks", "many", 'Takes a whole number, not "many".'],
    ["marks", "", 'Takes a whole number, not "".'],
    ["heat", 0, "Takes a number greater than 0, not 0."],
    ["heat", 2, "Takes a number less than 2, not 2."],
    ["tone", "shrill", 'Takes "loud" or "calm", not "shrill".'],
    ["quiet", "yes", 'Takes true or false, not "yes".'],
    ["prompt", 7, "Takes a string, not 7."],
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
