import type { ConfigFieldSchema, RouteSchema } from "@agate/protocol";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileConfig } from "../../../../sdk/src/config/compile-config.ts";
import { configJsonSchema } from "../../../../sdk/src/config/config-json-schema.ts";
import { createFieldReader } from "../../../../sdk/src/config/field-reader.ts";
import { modelOf, randomConfig } from "../../../../sdk/src/config/random-config.fixture.ts";
import type { ParamsFault } from "./check-params.ts";
import { checkParams, findMisfits, MAX_PARAMS_BYTES, MAX_PARAMS_DEPTH } from "./check-params.ts";

function faultsOf(params: unknown, routes: readonly RouteSchema[] | null): readonly ParamsFault[] {
  const checked = checkParams(params, routes);
  return checked.kind === "valid" ? [] : checked.faults;
}

const temperature: ConfigFieldSchema = {
  type: "number",
  default: 0.7,
  minimum: 0,
  maximum: 2,
  "x-ag-control": "slider",
};
const ROUTES: readonly RouteSchema[] = [
  { route: "/summarize", config: { temperature }, inputs: {} },
  { route: "/", config: {}, inputs: {} },
];

describe("checkParams with the routes known", () => {
  it("names bound and value of a field", () => {
    expect(faultsOf({ "/summarize": { temperature: 3 } }, ROUTES)).toEqual([
      { path: ["/summarize", "temperature"], msg: "Must be 2 or less (got 3)." },
    ]);
  });

  it("takes any subset of routes and fields, and adds the defaults of the others", () => {
    for (const params of [{}, { "/": {} }, { "/summarize": {}, "/": {} }]) {
      const checked = checkParams(params, ROUTES);
      expect(checked.kind === "valid" && JSON.parse(checked.json)).toEqual({
        "/summarize": { temperature: 0.7 },
        "/": {},
      });
    }
  });

  it("says which route or field was probably meant", () => {
    expect(
      faultsOf({ "/sumarize": {}, "/summarize": { temprature: 1 }, "/": { colour: 1 } }, ROUTES),
    ).toEqual([
      { path: ["/sumarize"], msg: 'There is no such route; did you mean "/summarize"?' },
      {
        path: ["/summarize", "temprature"],
        msg: 'There is no such field; did you mean "temperature"?',
      },
      { path: ["/", "colour"], msg: "There is no such field; the configuration has none." },
    ]);
  });

  it("takes a name that every object inherits for what it is: unknown", () => {
    const params = JSON.parse('{"constructor":{},"/summarize":{"__proto__":1,"toString":2}}');
    expect(faultsOf(params, ROUTES).map(({ path }) => path)).toEqual([
      ["constructor"],
      ["/summarize", "__proto__"],
      ["/summarize", "toString"],
    ]);
  });

  it("finds a hundred faults at most, without looking at the rest", () => {
    const fields = Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [`field${n}`, n]));
    expect(faultsOf({ "/summarize": fields }, ROUTES)).toHaveLength(100);
  });

  it("judges every field as the SDK and its JSON Schema do, in the SDK's words", () => {
    const ajv = new Ajv2020({ strict: false, ownProperties: true, allErrors: true });
    fc.assert(
      fc.property(randomConfig, ({ fields, values }) => {
        const config = compileConfig(modelOf(fields, "defined"));
        const schema = configJsonSchema(config);
        const route = { route: "/r", config: schema.properties, inputs: {} };

        // An object has names that look like an index first.
        const names = Object.keys(schema.properties);
        const ordered = config.fields.toSorted(
          (a, b) => names.indexOf(a.name) - names.indexOf(b.name),
        );
        const { issues } = createFieldReader(ordered)(values, { unknownFields: "refuse" });
        const faults = faultsOf({ "/r": values }, [route]);
        expect(faults).toEqual(
          issues.map(({ path, message }) => ({ path: ["/r", ...path], msg: message })),
        );

        // The validator leaves out properties of this name, for its own safety; and whole numbers
        // that JavaScript cannot hold are refused, independent of the bounds.
        const isComparable =
          !JSON.stringify([values, fields]).includes("__proto__") &&
          !faults.some(({ msg }) => msg.includes("53 bits"));
        if (!isComparable) return;
        expect(faults.length === 0).toBe(ajv.validate(schema, values));
        ajv.removeSchema(schema);
      }),
      { numRuns: 200 },
    );
  });
});

describe("checkParams without a schema", () => {
  it("takes any fields of any routes", () => {
    expect(faultsOf({ "/": { a: [1, { b: null }] }, "/x": {} }, null)).toEqual([]);
  });

  it.each([
    [null, [], 'Must be an object of route paths, such as {"/summarize": {}} (got null).'],
    [[], [], 'Must be an object of route paths, such as {"/summarize": {}} (got a list).'],
    ["{}", [], 'Must be an object of route paths, such as {"/summarize": {}} (got "{}").'],
    [{ summarize: {} }, ["summarize"], 'A route\'s path begins with "/". Write "/summarize".'],
    [{ "/": 3 }, ["/"], "Must be an object of fields (got 3)."],
    [{ "/": [] }, ["/"], "Must be an object of fields (got a list)."],
  ])("refuses %j", (params, path, msg) => {
    expect(faultsOf(params, null)).toEqual([{ path, msg }]);
  });

  it("bounds size and depth", () => {
    const ofSize = (bytes: number) => ({ "/": { a: "x".repeat(bytes - '{"/":{"a":""}}'.length) } });
    expect(faultsOf(ofSize(MAX_PARAMS_BYTES), null)).toEqual([]);
    expect(faultsOf(ofSize(MAX_PARAMS_BYTES + 1), null)).toEqual([
      {
        path: [],
        msg: "The parameters take 1,048,577 bytes as JSON; a revision takes 1,048,576 at most.",
      },
    ]);
    const ofDepth = (levels: number) =>
      JSON.parse(`{"/":{"a":${"[".repeat(levels - 2)}${"]".repeat(levels - 2)}}}`);
    expect(faultsOf(ofDepth(MAX_PARAMS_DEPTH), null)).toEqual([]);
    for (const levels of [MAX_PARAMS_DEPTH + 1, 100_000]) {
      expect(faultsOf(ofDepth(levels), null)).toEqual([
        { path: [], msg: "Must have 32 levels of lists and objects or fewer." },
      ]);
    }
  });
});

describe("findMisfits", () => {
  it.each([
    [99, 99],
    [101, 100],
    [100_000, 100],
  ])(
    "tells of %i wrong items of a list %i, and looks for no name of unknown ones",
    (count, told) => {
      const items = { type: "integer", "x-ag-control": "slider" } as const;
      const list = { type: "array", items, default: [], "x-ag-control": "list" } as const;
      const unknown = Array.from({ length: count }, (_, index) => [`x${index}`, 1] as const);
      const values = {
        list: Array.from({ length: count }, () => "x"),
        ...Object.fromEntries(unknown),
      };
      const routes = [{ route: "/r", config: { list }, inputs: {} }];
      expect(findMisfits({ "/r": values }, routes)).toHaveLength(told);
    },
  );

  it("finds values that are not taken, and lets be what the schema does not know", () => {
    const params = { "/summarize": { temperature: 2.5, gone: "x" }, "/gone": { temperature: 9 } };
    expect(findMisfits(params, ROUTES)).toMatchObject([
      {
        route: "/summarize",
        path: ["temperature"],
        given: "2.5",
        allowed: "2 or less",
      },
    ]);
  });
});
