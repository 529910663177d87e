import type { ConfigFieldSchema, RouteParams, RouteSchema } from "@agate/protocol";
import { configNotes } from "@agate/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { completeParams, droppedFields, droppedRoutes } from "./effective-params.ts";

const name = fc.constantFrom("a", "b", "constructor", "__proto__", "toString");
const value = fc.jsonValue({ maxDepth: 1 });

function field(fallback: unknown): ConfigFieldSchema {
  return {
    type: "string",
    "x-ag-control": "text",
    ...(fallback !== undefined && { default: fallback }),
  };
}

/** Records that may have any name as a key of their own. */
function recordOf<Value>(values: fc.Arbitrary<Value>): fc.Arbitrary<Record<string, Value>> {
  return fc
    .array(fc.tuple(name, values), { maxLength: 4 })
    .map((entries) => Object.fromEntries(entries));
}

const anyRoutes: fc.Arbitrary<RouteSchema[]> = recordOf(
  recordOf(fc.option(value, { nil: undefined })),
).map((routes) =>
  Object.entries(routes).map(([route, defaults]) => ({
    route,
    config: Object.fromEntries(
      Object.entries(defaults).map(([each, fallback]) => [each, field(fallback)]),
    ),
    inputs: {},
  })),
);
const anyParams: fc.Arbitrary<RouteParams> = recordOf(recordOf(value));

/** What a running workflow reads. */
function effective(params: RouteParams, route: RouteSchema, each: string): unknown {
  const values = Object.hasOwn(params, route.route) ? params[route.route] : {};
  return values && Object.hasOwn(values, each) ? values[each] : route.config[each]?.default;
}

describe("completeParams", () => {
  it("changes no value that the code reads, and loses none that was set", () => {
    fc.assert(
      fc.property(anyParams, anyRoutes, (params, routes) => {
        const completed = completeParams(params, routes);
        for (const route of routes) {
          for (const each of Object.keys(route.config)) {
            expect(effective(completed, route, each)).toEqual(effective(params, route, each));
          }
        }
        for (const [route, values] of Object.entries(params)) {
          for (const [each, set] of Object.entries(values)) {
            expect(completed[route]?.[each]).toEqual(set);
          }
        }
      }),
    );
  });

  it("leaves nothing to the defaults of later code", () => {
    fc.assert(
      fc.property(anyParams, anyRoutes, anyRoutes, (params, routes, later) => {
        const completed = completeParams(params, routes);
        const next = new Map(later.map((route) => [route.route, route]));
        for (const route of routes) {
          const known = next.get(route.route);
          for (const [each, { default: fallback }] of Object.entries(route.config)) {
            if (fallback === undefined || known === undefined) continue;
            if (!Object.hasOwn(known.config, each)) continue;
            expect(effective(completed, known, each)).toEqual(effective(params, route, each));
          }
        }
        expect(completeParams(completed, routes)).toEqual(completed);
      }),
    );
  });

  it("completes objects that are set in part", () => {
    const retrieval: ConfigFieldSchema = {
      type: "object",
      default: { depth: 1, words: [] },
      properties: { depth: field(1), words: field([]), label: field(undefined) },
      "x-ag-control": "object",
    };
    const routes = [{ route: "/search", config: { retrieval }, inputs: {} }];
    expect(completeParams({ "/search": { retrieval: { words: ["a"] } } }, routes)).toEqual({
      "/search": { retrieval: { depth: 1, words: ["a"] } },
    });
    expect(completeParams({ "/search": { retrieval: null } }, routes)).toEqual({
      "/search": { retrieval: null },
    });
  });
});

describe("configNotes", () => {
  it("has one for each field of one side only, a hundred at most", () => {
    const config = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, field(n)]));
    const routes = (count: number) => [{ route: "/", config: config(count), inputs: {} }];
    expect(configNotes({ "/": { f0: 1, g: 1 }, "/gone": { x: 1 } }, routes(2))).toEqual([
      { kind: "ignored", route: "/", field: "g" },
      { kind: "ignored", route: "/gone", field: null },
      { kind: "default", route: "/", field: "f1", value: 1 },
    ]);
    expect(configNotes({}, routes(100))).toHaveLength(100);
    expect(configNotes({}, routes(101))).toHaveLength(100);
  });
});

describe("what code drops", () => {
  const before = [
    { route: "/a", config: { x: field(1), y: field(undefined) }, inputs: {} },
    { route: "/b", config: { x: field(1) }, inputs: {} },
  ];
  const after = [{ route: "/a", config: {}, inputs: {} }];

  it("is a route that is gone, and a field that is set to something else than its default", () => {
    expect(droppedRoutes(before, after)).toEqual(["/b"]);
    expect(droppedRoutes(before, before)).toEqual([]);
    const dropped = (params: RouteParams) =>
      droppedFields(params, before, after).map(({ route, field: each }) => `${route}.${each}`);
    expect(dropped({ "/a": { x: 1 } })).toEqual([]);
    expect(dropped({ "/a": { x: 2, y: null }, "/b": { x: 2 } })).toEqual(["/a.x", "/a.y"]);
  });
});
