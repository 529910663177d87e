import { describe, expect, it } from "vitest";
import { mergeConfig } from "./json-value.ts";
import { leafChanges } from "./registry/config-diff.ts";

describe("mergeConfig", () => {
  it("merges objects by field, and replaces everything else", () => {
    const under = { a: { b: 1, c: [1, 2], d: { e: 1 } }, f: 1, g: null };
    expect(mergeConfig(under, { a: { c: [3], d: { h: 2 } }, g: { i: 1 }, j: 1 })).toEqual({
      a: { b: 1, c: [3], d: { e: 1, h: 2 } },
      f: 1,
      g: { i: 1 },
      j: 1,
    });
    expect(mergeConfig(under, { a: null })).toEqual({ a: null, f: 1, g: null });
    expect(under.a.c).toEqual([1, 2]);
  });

  it("takes a field that is undefined for one that is not there", () => {
    expect(mergeConfig({ a: 1 }, { a: undefined })).toEqual({ a: 1 });
  });

  it("takes every name as data", () => {
    const over = JSON.parse('{"__proto__": {"polluted": true}, "constructor": 1}');
    const merged = mergeConfig({}, over);
    expect(Object.keys(merged)).toEqual(["__proto__", "constructor"]);
    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
  });
});

describe("leafChanges", () => {
  it("names the places where two values differ", () => {
    const from = { a: 1, b: { c: [1, { d: "x" }], e: true }, f: [] };
    const to = { a: 1, b: { c: [2, { d: "y" }, 3] }, f: {}, g: null };
    expect(leafChanges(from, to)).toEqual([
      { path: ["b", "c", 0], from: 1, to: 2 },
      { path: ["b", "c", 1, "d"], from: "x", to: "y" },
      { path: ["b", "c", 2], from: undefined, to: 3 },
      { path: ["b", "e"], from: true, to: undefined },
      { path: ["f"], from: [], to: {} },
      { path: ["g"], from: undefined, to: null },
    ]);
    expect(leafChanges(to, to)).toEqual([]);
  });
});
