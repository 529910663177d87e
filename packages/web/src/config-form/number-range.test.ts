import type { ConfigFieldSchema } from "@agate/protocol";
import { refusedBy } from "@agate/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { boundTexts, sliderRange, snap, stepFrom, stepNumber } from "./number-range.ts";

function field(bounds: Partial<ConfigFieldSchema>): ConfigFieldSchema {
  return { type: "number", default: 0, "x-ag-control": "slider", ...bounds };
}

function int(bounds: Partial<ConfigFieldSchema>): ConfigFieldSchema {
  return field({ type: "integer", ...bounds });
}

describe("sliderRange", () => {
  it("goes from one bound to the other", () => {
    expect(sliderRange(field({ minimum: 0, maximum: 2 }))).toEqual({ min: 0, max: 2, step: 0.02 });
    expect(sliderRange(int({ minimum: -1, maximum: 4096 }))).toEqual({
      min: -1,
      max: 4096,
      step: 1,
    });
  });

  it("begins and ends one step inside of bounds that are excluded", () => {
    expect(sliderRange(int({ exclusiveMinimum: 0, exclusiveMaximum: 10 }))).toEqual({
      min: 1,
      max: 9,
      step: 1,
    });
    expect(sliderRange(field({ exclusiveMinimum: 0, exclusiveMaximum: 1 }))).toEqual({
      min: 0.01,
      max: 0.99,
      step: 0.01,
    });
  });

  it("is none where a bound is missing", () => {
    expect(sliderRange(field({}))).toBeNull();
    expect(sliderRange(int({ minimum: 0 }))).toBeNull();
    expect(sliderRange(field({ exclusiveMaximum: 5 }))).toBeNull();
  });

  it("has its one position where the bounds are the same", () => {
    expect(sliderRange(int({ minimum: 3, maximum: 3 }))).toMatchObject({ min: 3, max: 3 });
    expect(sliderRange(field({ minimum: 0.5, maximum: 0.5 }))).toMatchObject({
      min: 0.5,
      max: 0.5,
    });
  });

  it("takes larger steps through many whole numbers, and smaller ones between small numbers", () => {
    expect(sliderRange(int({ minimum: 0, maximum: 1e9 }))?.step).toBe(1e6);
    expect(sliderRange(field({ minimum: 1e-6, maximum: 1e-3 }))?.step).toBe(5e-6);
  });

  it("is none where no number lies between the bounds, or a step would be lost in rounding", () => {
    expect(sliderRange(int({ exclusiveMinimum: 0, exclusiveMaximum: 1 }))).toBeNull();
    expect(sliderRange(field({ exclusiveMinimum: 1e16, exclusiveMaximum: 1e16 + 2 }))).toBeNull();
    expect(sliderRange(field({ minimum: -1.7e308, maximum: 1.7e308 }))).toBeNull();
    expect(sliderRange(field({ minimum: 0, maximum: 5e-324 }))).toBeNull();
  });
});

const finite = fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e12, max: 1e12 });
const bounded = fc
  .record({
    isWhole: fc.boolean(),
    one: fc.oneof(finite, fc.integer(), fc.constantFrom(0, 1, -1, 1e-6, 0.1)),
    other: fc.oneof(finite, fc.integer(), fc.constantFrom(0, 1, 2, 1e-3, 4096)),
    isLowerExcluded: fc.boolean(),
    isUpperExcluded: fc.boolean(),
  })
  .map(({ isWhole, one, other, isLowerExcluded, isUpperExcluded }): ConfigFieldSchema => {
    const [low, high] = [one, other]
      .map((bound) => (isWhole ? Math.round(bound) : bound) + 0)
      .sort((left, right) => left - right);
    return field({
      type: isWhole ? "integer" : "number",
      [isLowerExcluded ? "exclusiveMinimum" : "minimum"]: low,
      [isUpperExcluded ? "exclusiveMaximum" : "maximum"]: high,
    });
  });

it("has whole positions between bounds that are not whole", () => {
  expect(sliderRange(int({ minimum: 0.5, exclusiveMaximum: 3.5 }))).toMatchObject({
    min: 1,
    max: 3,
  });
});

describe("a slider", () => {
  it("is never at a value that its field refuses, wherever it is dragged or stepped", () => {
    fc.assert(
      fc.property(
        bounded,
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.array(fc.constantFrom(1, -1, 10, -10), { maxLength: 20 }),
        (schema, part, steps) => {
          const range = sliderRange(schema);
          fc.pre(range !== null);
          let value = snap(range, range.min + part * (range.max - range.min));
          expect(refusedBy(schema, value)).toBeUndefined();
          for (const step of steps) {
            value = stepFrom(range, value, step);
            expect(refusedBy(schema, value)).toBeUndefined();
          }
        },
      ),
      { numRuns: 2000 },
    );
  });

  it("reaches both of its ends by dragging", () => {
    fc.assert(
      fc.property(bounded, (schema) => {
        const range = sliderRange(schema);
        fc.pre(range !== null);
        expect(snap(range, range.min)).toBe(range.min);
        expect(snap(range, range.max)).toBe(range.max);
      }),
    );
  });

  it("steps from a value between two positions to the next one, without binary dust", () => {
    const range = { min: 0, max: 1, step: 0.01 };
    expect(stepFrom(range, 0.123, 1)).toBe(0.13);
    expect(stepFrom(range, 0.123, -1)).toBe(0.12);
    expect(stepFrom(range, 0.29, 1)).toBe(0.3);
    expect(stepFrom(range, 0.57, 1)).toBe(0.58);
    expect(stepFrom(range, 0.995, 10)).toBe(1);
  });
});

describe("stepNumber", () => {
  it("goes by ones through whole numbers, however many there are", () => {
    expect(stepNumber(int({ minimum: 0, maximum: 1e9 }), 5, 1)).toBe(6);
    expect(stepNumber(int({}), 5, -10)).toBe(-5);
  });

  it("stays within the one bound that there is, and off it where it is excluded", () => {
    expect(stepNumber(int({ minimum: 0 }), 0, -1)).toBe(0);
    expect(stepNumber(int({ exclusiveMinimum: 0 }), 2, -10)).toBe(1);
    expect(stepNumber(field({ exclusiveMaximum: 1, default: 0.5 }), 0.9, 10)).toBe(0.95);
  });

  it("follows the default where bounds are missing, and begins at it", () => {
    expect(stepNumber(field({ default: 0.003 }), 0.003, 1)).toBe(0.0032);
    expect(stepNumber(field({ default: 0 }), 1, 1)).toBe(1.1);
    expect(stepNumber(field({ default: 7 }), "many", 1)).toBe(7);
  });
});

function textsOf(bounds: Partial<ConfigFieldSchema>) {
  return boundTexts({ type: "number", default: 0, "x-ag-control": "slider", ...bounds });
}

it("names both bounds, and says which are excluded", () => {
  expect(textsOf({ minimum: -1, maximum: 4096 })).toEqual(["-1", "4096"]);
  expect(textsOf({ exclusiveMinimum: 0, maximum: 1e9 })).toEqual(["> 0", "1B"]);
  expect(textsOf({ minimum: 1e-6, exclusiveMaximum: 0.001 })).toEqual(["1e-6", "< 0.001"]);
});

it("says on which side a single bound is", () => {
  expect(textsOf({ minimum: 0 })).toEqual(["≥ 0", undefined]);
  expect(textsOf({ maximum: 5 })).toEqual([undefined, "≤ 5"]);
  expect(textsOf({})).toEqual([undefined, undefined]);
});

it("is short for any bound", () => {
  expect(textsOf({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })).toEqual(["0", "≈9.01e+15"]);
  expect(textsOf({ minimum: 0.123456789, maximum: 1 })).toEqual(["≈0.123", "1"]);
});

it("is exact where the bounds are close to each other", () => {
  expect(textsOf({ minimum: 1e6, maximum: 1000001 })).toEqual(["1M", "1000001"]);
  expect(textsOf({ minimum: 12300, maximum: 1230000 })).toEqual(["12.3K", "1230000"]);
});
