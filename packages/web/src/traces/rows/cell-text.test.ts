import { describe, expect, it } from "vitest";
import type { RowScore } from "../../api/row-scores.ts";
import { rowOf } from "../live/trace-row.fixture.ts";
import { cellText, chipText } from "./cell-text.ts";
import { TRACE_COLUMNS } from "./trace-columns.ts";

const USAGE = {
  input_tokens: 12_000,
  output_tokens: 345,
  total_tokens: 12_345,
  cached_input_tokens: 2000,
  reasoning_tokens: null,
};

describe("a cell", () => {
  it("is rounded, with the exact value in its title", () => {
    const row = rowOf({ latency: 1934.5678, cost: 0.00048213, usage: USAGE });
    expect(cellText(row, "latency")).toEqual({ text: "1.93 s", title: "1,934.5678 ms" });
    expect(cellText(row, "cost")).toEqual({ text: "$0.00048", title: "$0.00048213" });
    expect(cellText(row, "tokens")).toEqual({
      text: "12.3K",
      title: "12,000 in, 2,000 cached, 345 out, 12,345 total",
    });
  });

  it("says that calls have no price, so that the cost is at least the known part", () => {
    expect(cellText(rowOf({ cost: 0.0124, unpricedCalls: 1 }), "cost")).toEqual({
      text: "≥ $0.012",
      title: "$0.0124, 1 call without a price",
    });
    expect(cellText(rowOf({ cost: null, unpricedCalls: 2 }), "cost")).toEqual({
      text: "–",
      title: "Cost unknown, 2 calls without a price",
    });
  });

  it("has no exponent in a tiny exact cost", () => {
    expect(cellText(rowOf({ cost: 1.5e-9 }), "cost").title).toBe("$0.0000000015");
  });

  it("distinguishes 0 from unknown", () => {
    expect(cellText(rowOf({ cost: 0 }), "cost").text).toBe("$0");
    for (const column of ["latency", "tokens", "cost", "variant", "revision", "user"] as const) {
      expect(cellText(rowOf(), column).text, column).toBe("–");
    }
  });

  it("offers a filter where it has a value", () => {
    expect(cellText(rowOf({ userId: "ada" }), "user").filter).toEqual(["user_id", "ada"]);
    expect(cellText(rowOf(), "user").filter).toBeUndefined();
  });

  it("spells out invisible characters, and filters by the recorded value", () => {
    const cell = cellText(rowOf({ environment: "prod\u202Etset" }), "environment");
    expect(cell).toEqual({
      text: "prod⟨202E⟩tset",
      title: "prod⟨202E⟩tset",
      filter: ["environment", "prod\u202Etset"],
    });
  });

  it("names the scores, and never a number for what was skipped or has failed", () => {
    const none = { count: 0, mean: null, label: null, skipped: 0, failed: 0 };
    const named = (score: Partial<RowScore>) => {
      const scores = { shown: [{ name: "helpful", ...none, ...score }], leftOut: 0 };
      return [cellText(rowOf({ scores }), "scores").text, chipText(scores.shown[0]!)];
    };
    expect(named({ count: 1, mean: 0 })).toEqual(["helpful: 0", "0"]);
    expect(named({ count: 1, mean: 1, label: "up" })).toEqual(["helpful: up (1)", "up"]);
    expect(named({ skipped: 1 })).toEqual(["helpful: skipped", "skipped"]);
    expect(named({ failed: 2 })).toEqual(["helpful: 2 failed", "2 failed"]);
    expect(named({ count: 2, mean: 0.75, failed: 1 })).toEqual([
      "helpful: 0.75 (mean of 2), 1 failed",
      "0.75",
    ]);
    expect(named({ count: 2, label: "polite" })).toEqual(["helpful: polite (2)", "polite"]);
    expect(named({ count: 2 })).toEqual(["helpful: labels (2)", "(2)"]);
  });

  it("counts the scores that it does not name, and filters by the first", () => {
    const score = { name: "helpful", count: 1, mean: 1, label: null, skipped: 0, failed: 0 };
    expect(cellText(rowOf({ scores: { shown: [score], leftOut: 3 } }), "scores")).toEqual({
      text: "helpful: 1, and 3 more",
      title: "helpful: 1\nand 3 more",
      filter: ["score", "helpful:any"],
    });
  });

  it("exists for every column", () => {
    for (const { id } of TRACE_COLUMNS) expect(cellText(rowOf(), id).text).not.toBe("");
  });
});
