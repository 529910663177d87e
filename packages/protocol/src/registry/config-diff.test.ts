import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { diffParams } from "./config-diff.ts";

describe("diffParams", () => {
  it("shows what was added, removed and changed, ordered by route and field", () => {
    const from = { "/b": { y: 1, x: [1, { a: 2 }], same: { a: [1], b: 2 } }, "/a": { only: true } };
    const to = { "/c": { n: 1 }, "/b": { x: [1, { a: 3 }], z: null, same: { b: 2, a: [1] } } };
    expect(diffParams(from, to)).toEqual([
      { route: "/a", fields: [{ field: "only", change: "removed", from: true }] },
      {
        route: "/b",
        fields: [
          { field: "x", change: "changed", from: [1, { a: 2 }], to: [1, { a: 3 }] },
          { field: "y", change: "removed", from: 1 },
          { field: "z", change: "added", to: null },
        ],
      },
      { route: "/c", fields: [{ field: "n", change: "added", to: 1 }] },
    ]);
  });

  it("takes a route without fields for one that is not there", () => {
    expect(diffParams({ "/a": {} }, {})).toEqual([]);
  });

  it("takes a field that a form has emptied for one that is not there", () => {
    expect(diffParams({ "/a": { x: undefined } }, { "/a": {} })).toEqual([]);
  });

  it("tells an empty list from an empty object", () => {
    expect(diffParams({ "/": { x: [] } }, { "/": { x: {} } })).toHaveLength(1);
  });

  it("leads from the one to the other", () => {
    const name = fc.oneof(fc.constantFrom("__proto__", "constructor", "a", "b"), fc.string());
    const record = <Value>(value: fc.Arbitrary<Value>) =>
      fc
        .array(fc.tuple(name, value), { maxLength: 4 })
        .map((entries) => Object.fromEntries(entries) as Record<string, Value>);
    const params = record(record(fc.jsonValue())).map(
      (value) => JSON.parse(JSON.stringify(value)) as Record<string, Record<string, unknown>>,
    );
    fc.assert(
      fc.property(params, params, (from, to) => {
        const result = new Map(
          Object.entries(from).map(([route, fields]) => [route, new Map(Object.entries(fields))]),
        );
        for (const { route, fields } of diffParams(from, to)) {
          const changed = result.get(route) ?? new Map<string, unknown>();
          result.set(route, changed);
          for (const diff of fields) {
            if (diff.change === "removed") changed.delete(diff.field);
            else changed.set(diff.field, diff.to);
          }
        }
        const withFields = (routes: Iterable<[string, Map<string, unknown>]>) =>
          [...routes].filter(([, fields]) => fields.size > 0).sort();
        const wanted = Object.entries(to).map(([route, fields]): [string, Map<string, unknown>] => [
          route,
          new Map(Object.entries(fields)),
        ]);
        expect(new Map(withFields(result))).toEqual(new Map(withFields(wanted)));
      }),
    );
  });
});
