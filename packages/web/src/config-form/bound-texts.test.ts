import type { ConfigFieldSchema } from "@agate/protocol";
import { expect, it } from "vitest";
import { boundTexts } from "./bound-texts.ts";

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

it("leaves room for the slider, whatever the bound", () => {
  expect(textsOf({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })).toEqual(["0", "≈9.01e+15"]);
  expect(textsOf({ minimum: 0.123456789, maximum: 1 })).toEqual(["≈0.123", "1"]);
});

it("is exact where the bounds are close to each other", () => {
  expect(textsOf({ minimum: 1e6, maximum: 1000001 })).toEqual(["1M", "1000001"]);
  expect(textsOf({ minimum: 12300, maximum: 1230000 })).toEqual(["12.3K", "1230000"]);
});
