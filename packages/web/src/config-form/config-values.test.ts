import type { ConfigFieldSchema, RouteSchema } from "@agate/protocol";
import { describe, expect, it } from "vitest";
import {
  defaultsOf,
  fieldValue,
  revertField,
  unknownFields,
  withDefaults,
  withoutField,
  withValue,
} from "./config-values.ts";

// `constructor` in an object literal is typed as the one that every object has.
const config: Readonly<Record<string, ConfigFieldSchema>> = Object.fromEntries<ConfigFieldSchema>([
  ["marks", { type: "integer", default: 1, "x-ag-control": "slider" }],
  ["constructor", { type: "string", default: "x", "x-ag-control": "text-area" }],
]);
const route: RouteSchema = { route: "/", config, inputs: {} };

describe("the values of a configuration", () => {
  it("have the schema's defaults where nothing is said", () => {
    expect(defaultsOf(route)).toEqual({ marks: 1, constructor: "x" });
    expect(withDefaults(route, { marks: 3, gone: true })).toEqual({
      marks: 3,
      constructor: "x",
      gone: true,
    });
    expect(fieldValue(route, {}, "constructor")).toBe("x");
  });

  it("go back to what they were, even to not being there", () => {
    expect(revertField({ marks: 3 }, { marks: 2 }, "marks")).toEqual({ marks: 2 });
    expect(revertField({ marks: 3 }, {}, "marks")).toEqual({});
  });

  it("keep fields of any name, and tell those that the route does not have", () => {
    const values = withValue({}, "__proto__", 1);
    expect(unknownFields(route, values)).toEqual(["__proto__"]);
    expect(Object.keys(withoutField(values, "__proto__"))).toEqual([]);
  });
});
