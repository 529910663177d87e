import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { diffParams } from "./diff-params.ts";

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

  it("finds nothing between a configuration and its copy, and something both ways otherwise", () => {
    const name = fc.constantFrom("__proto__", "constructor", "a", "b");
    const params = fc.dictionary(name, fc.dictionary(name, fc.jsonValue()));
    fc.assert(
      fc.property(params, params, (from, to) => {
        expect(diffParams(from, structuredClone(from))).toEqual([]);
        const there = diffParams(from, to).flatMap(({ fields }) =>
          fields.map(({ field }) => field),
        );
        const back = diffParams(to, from).flatMap(({ fields }) => fields.map(({ field }) => field));
        expect(back).toEqual(there);
      }),
    );
  });
});
