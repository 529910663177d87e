import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type JsonExpansion, jsonLines } from "./json-lines.ts";

const open: JsonExpansion = { openDepth: Number.POSITIVE_INFINITY, toggled: new Set() };
const shape = (value: unknown, folding: JsonExpansion, limit = 1000) =>
  jsonLines(value, folding, limit).lines.map(({ depth, key, isOpen }) => [depth, key, isOpen]);

function countOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  return 1 + Object.values(value).reduce((sum: number, inner) => sum + countOf(inner), 0);
}

describe("the lines of a value", () => {
  it("are it and everything in it, as deep as it is open", () => {
    const value = { a: [1, { b: null }], c: "text" };
    expect(shape(value, { openDepth: 2, toggled: new Set() })).toEqual([
      [0, null, true],
      [1, "a", true],
      [2, 0, false],
      [2, 1, false],
      [1, "c", false],
    ]);
  });

  it("open and fold by hand", () => {
    const value = { a: { b: { c: 1 } } };
    expect(shape(value, { openDepth: 1, toggled: new Set(["/a"]) })).toHaveLength(3);
    expect(shape(value, { openDepth: 9, toggled: new Set(["/a"]) })).toHaveLength(2);
  });

  it("have unique paths for any keys", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const { lines, hasMore } = jsonLines(value, open, 100_000);
        expect(new Set(lines.map(({ path }) => path)).size).toBe(lines.length);
        expect([lines.length, hasMore]).toEqual([countOf(value), false]);
      }),
    );
    const confusing = { "a/b": 1, a: { b: 2 }, "~1": 3, __proto__: 4, "": 5 };
    const { lines } = jsonLines(confusing, open, 100);
    expect(new Set(lines.map(({ path }) => path)).size).toBe(lines.length);
  });

  it("show `__proto__` as the plain member that it is", () => {
    const { lines } = jsonLines(JSON.parse('{"__proto__":{"a":1}}'), open, 100);
    expect(lines.map(({ key }) => key)).toEqual([null, "__proto__", "a"]);
  });

  it("are made no further than they are shown, and say that there are more", () => {
    const endless = { items: Array.from({ length: 1_000_000 }, (_, n) => n) };
    const { lines, hasMore } = jsonLines(endless, open, 10);
    expect([lines.length, hasMore]).toEqual([10, true]);
    expect(jsonLines([1, 2], open, 3).hasMore).toBe(false);
  });

  it("may be deeper than calls can be", () => {
    let deep: unknown = 1;
    for (let n = 0; n < 1000; n += 1) deep = { a: deep };
    expect(jsonLines(deep, open, 100_000).lines.length).toBe(1001);
  });
});
