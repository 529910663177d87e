import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { checks } from "./checks.ts";
import { textSimilarity } from "./text-similarity.ts";

describe("equals", () => {
  it("compares JSON, in any order of keys", () => {
    const equals = checks.equals();
    expect(equals({ output: { a: 1, b: [2] }, expected: { b: [2], a: 1 } })).toEqual({
      value: true,
    });
    expect(equals({ output: { a: { c: 1, d: 2 } }, expected: { a: { d: 2, c: 1 } } })).toEqual({
      value: true,
    });
    expect(equals({ output: { a: 1 }, expected: { a: 1, b: null } })).toEqual({ value: false });
    expect(equals({ output: "1", expected: 1 })).toEqual({ value: false });
    expect(equals({ output: [1, 2], expected: [2, 1] })).toEqual({ value: false });
    expect(equals({ output: null, expected: undefined })).toEqual({ value: false });
  });

  it("compares parts", () => {
    const equals = checks.equals({
      output: (output: { label: string }) => output.label,
      expected: (expected: { is: string }) => expected.is,
    });
    expect(equals({ output: { label: "a" }, expected: { is: "a" } })).toEqual({ value: true });
  });
});

describe("contains", () => {
  it("takes one text, several, or what the case expects, and names what is missing", () => {
    const output = "Refunds take 5 days";
    expect(checks.contains("5 days")({ output, expected: null })).toEqual({ value: true });
    expect(checks.contains(["Refunds", "weeks"])({ output, expected: null })).toEqual({
      value: false,
      explanation: 'Missing: "weeks"',
    });
    expect(checks.contains()({ output, expected: ["5", "days"] })).toEqual({ value: true });
    expect(checks.contains()({ output, expected: "6" })).toMatchObject({ value: false });
  });

  it("fails instead of scoring what is no text", () => {
    expect(() => checks.contains("a")({ output: { text: "a" }, expected: null })).toThrow(
      "The output must be a text (got an object).",
    );
    expect(() => checks.contains()({ output: "a", expected: undefined })).toThrow("expected text");
    const picking = checks.contains("a", { output: (output: { text: string }) => output.text });
    expect(picking({ output: { text: "a" }, expected: null })).toEqual({ value: true });
  });
});

describe("matches", () => {
  it("has no state, whatever the pattern's flags", () => {
    const matches = checks.matches(/\d+/gy);
    for (let trial = 0; trial < 3; trial++) {
      expect(matches({ output: "order 42" })).toEqual({ value: true });
    }
    expect(checks.matches(/^A/i)({ output: "agate" })).toEqual({ value: true });
    expect(checks.matches(/^A/)({ output: "agate" })).toEqual({ value: false });
    expect(() => checks.matches(/a/)({ output: 1 })).toThrow("must be a text");
  });
});

it("matchesSchema says what does not fit", async () => {
  const check = checks.matchesSchema(z.object({ text: z.string() }));
  expect(await check({ output: { text: "a" } })).toEqual({ value: true });
  expect(await check({ output: { text: 1 } })).toEqual({
    value: false,
    explanation: expect.stringContaining("string"),
  });
});

describe("similarity", () => {
  const similarity = (output: unknown, expected: unknown) =>
    checks.similarity()({ output, expected });

  it("is 1 for the same text but for case and white space, 0 without a shared pair", () => {
    expect(similarity("Hello,\n  World", "hello, world")).toBe(1);
    expect(similarity("abc", "xyz")).toBe(0);
    expect(similarity("night", "nacht")).toBe(0.25);
    expect(similarity("", "")).toBe(1);
    expect(similarity("a", "b")).toBe(0);
    expect(() => similarity("a", undefined)).toThrow("expected text");
  });

  it("is symmetric, and a score", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (one, other) => {
        const value = textSimilarity(one, other);
        expect(value).toBe(textSimilarity(other, one));
        expect(value).toBeGreaterThanOrEqual(0);
        expect(value).toBeLessThanOrEqual(1);
        expect(textSimilarity(one, one)).toBe(1);
      }),
    );
  });

  it("counts repeated pairs as often as both texts have them", () => {
    expect(textSimilarity("aaaa", "aa")).toBe(0.5);
  });
});

it("within bounds a difference, both ends included", () => {
  const within = checks.within(2);
  expect(within({ output: 10, expected: 12 })).toEqual({
    value: true,
    explanation: "Differs by 2",
  });
  expect(within({ output: 10, expected: 8 })).toMatchObject({ value: true });
  expect(within({ output: 10, expected: 12.5 })).toMatchObject({ value: false });
  expect(() => within({ output: "10", expected: 10 })).toThrow("The output must be a number");
  expect(() => within({ output: 10, expected: Number.NaN })).toThrow("expected value");
});
