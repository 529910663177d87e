import { expect, it } from "vitest";
import { batchesOf, resultBody } from "./report-bodies.ts";
import type { ItemResult } from "./run-item.ts";

const RESULT: ItemResult = {
  column: "candidate",
  case: "one",
  trial: 0,
  output: { text: "a" },
  error: null,
  trace_id: null,
  span_id: null,
  latency: 3,
  cost: null,
  judge_cost: 0,
  scores: {},
};

it.each([
  [2, 100, [["aa", "bb"], ["c"]]],
  [9, 8, [["aa", "bb"], ["c"]]],
  [9, 7, [["aa"], ["bb", "c"]]],
  [9, 1, [["aa"], ["bb"], ["c"]]],
])("a batch has at most %i items and %i characters, but one item", (items, size, batches) => {
  expect([...batchesOf(["aa", "bb", "c"], { items, size })]).toEqual(batches);
});

it("has no empty batch", () => {
  expect([...batchesOf([], { items: 1, size: 1 })]).toEqual([]);
});

it.each([
  [4_000, "x".repeat(4_000)],
  [4_001, `${"x".repeat(3_999)}…`],
])("cuts the error of a call to what the platform takes (%i)", (length, error) => {
  const body = resultBody({ ...RESULT, output: undefined, error: "x".repeat(length) });
  expect(body).toMatchObject({ status: "error", error });
  expect(body).not.toHaveProperty("output");
});

it("cuts the texts of scores, and gives no value to one that has none", () => {
  const text = "x".repeat(5_000);
  const { scores } = resultBody({
    ...RESULT,
    scores: {
      good: { status: "ok", value: 0.5, label: text, explanation: text },
      none: { status: "skipped", explanation: text },
      bad: { status: "failed", error: text },
    },
  });
  expect(scores?.map(({ name, status, value }) => [name, status, value])).toEqual([
    ["good", "ok", 0.5],
    ["none", "skipped", undefined],
    ["bad", "failed", undefined],
  ]);
  const [good, none, bad] = scores ?? [];
  expect(
    [good?.label, good?.explanation, none?.error, bad?.error].map((cut) => cut?.length),
  ).toEqual([100, 4_000, 1_000, 1_000]);
});

it("sends what a route without a value answers as null", () => {
  expect(resultBody({ ...RESULT, output: undefined })).toMatchObject({
    status: "ok",
    output: null,
  });
});
