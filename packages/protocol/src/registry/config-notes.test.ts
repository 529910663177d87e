import { expect, it } from "vitest";
import { configNotes } from "./config-notes.ts";
import type { RouteSchema } from "./route-schema.ts";

const field = (value: unknown) => ({ type: "string", default: value, "x-ag-control": "text" });
const routes = (config: Readonly<Record<string, object>>) =>
  [{ route: "/say", config, inputs: {} }] as readonly RouteSchema[];

it("tells what is ignored, and what takes the code's default", () => {
  const params = { "/say": { tone: "loud", old: 1 }, "/gone": { a: 1 } };
  const optional = { type: "string", "x-ag-control": "text" };
  expect(configNotes(params, routes({ tone: field("plain"), limit: field(5), optional }))).toEqual([
    { kind: "ignored", route: "/say", field: "old" },
    { kind: "ignored", route: "/gone", field: null },
    { kind: "default", route: "/say", field: "limit", value: 5 },
  ]);
});

it("takes names for what they are, not for what every object inherits", () => {
  expect(configNotes({}, [{ route: "constructor", config: {}, inputs: {} }])).toEqual([]);
  expect(configNotes({ "/say": { toString: 1 } }, routes({}))).toEqual([
    { kind: "ignored", route: "/say", field: "toString" },
  ]);
});

it.each([
  [99, 99],
  [100, 100],
  [101, 100],
])("tells of %i fields %i", (count, told) => {
  const values = Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, n]));
  expect(configNotes({ "/say": values }, routes({}))).toHaveLength(told);
});
