import fc from "fast-check";
import { expect, test } from "vitest";
import { JsonWriter } from "./json-writer.ts";
import { plainJson } from "./plain-json.ts";

function written(value: unknown): string {
  const writer = new JsonWriter({ limit: 1_000_000 });
  writer.write(value);
  return writer.text;
}

test("where there is JSON, it is what the writer writes", () => {
  const anything = fc.anything({
    withBigInt: true,
    withDate: true,
    withMap: true,
    withNullPrototype: true,
    withSet: true,
    withSparseArray: true,
    withTypedArray: true,
    withUnicodeString: true,
  });
  fc.assert(
    fc.property(anything, (value) => {
      const json = plainJson(value);
      if (json !== undefined) expect(json).toBe(written(value));
    }),
    { numRuns: 500 },
  );
});

test("all that JSON can hold is plain", () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => plainJson(value) === written(value)));
  expect(plainJson({ left: undefined, list: [undefined, -0] })).toBe('{"list":[null,0]}');
});

test.each<[string, unknown]>([
  ["a date", new Date(0)],
  ["a map", new Map()],
  ["a class's object", new (class Thing {})()],
  ["an infinite number", Number.POSITIVE_INFINITY],
  ["a big number", 1n],
  ["a function", () => 1],
  ["a symbol", Symbol("s")],
  ["what has a JSON of its own", { toJSON: () => 1 }],
  ["a list that has a JSON of its own", Object.assign([1], { toJSON: () => 1 })],
])("%s is not, at any depth", (_name, value) => {
  expect(plainJson(value)).toBeUndefined();
  expect(plainJson({ a: [value] })).toBeUndefined();
});

test("what throws, and what contains itself, is not", () => {
  const circular: unknown[] = [];
  circular.push({ circular });
  expect(plainJson(circular)).toBeUndefined();
  const throwing = Object.defineProperty({}, "a", {
    enumerable: true,
    get() {
      throw new Error("no");
    },
  });
  expect(plainJson(throwing)).toBeUndefined();
});
