import { describe, expect, it } from "vitest";
import type { RowScore } from "../../api/row-scores.ts";
import type { TraceRow } from "../../api/trace-row.ts";
import { rowOf } from "../live/trace-row.fixture.ts";
import { cellText, cellTitle, chipText } from "./cell-text.ts";
import { type ColumnId, TRACE_COLUMNS } from "./trace-columns.ts";

const USAGE = {
  input_tokens: 12_000,
  output_tokens: 345,
  total_tokens: 12_345,
  cached_input_tokens: 2000,
  reasoning_tokens: null,
};

/** The text and the title of a cell. */
const bothOf = (row: TraceRow, column: ColumnId) => [
  cellText(row, column).text,
  cellTitle(row, column),
];

describe("a cell", () => {
  it("is rounded, with the exact value in its title", () => {
    const row = rowOf({ latency: 1934.5678, cost: 0.00048213, usage: USAGE });
    expect(bothOf(row, "latency")).toEqual(["1.93 s", "1,934.5678 ms"]);
    expect(bothOf(row, "cost")).toEqual(["$0.00048", "$0.00048213"]);
    expect(bothOf(row, "tokens")).toEqual([
      "12.3K",
      "12,000 in, 2,000 cached, 345 out, 12,345 total",
    ]);
  });

  it("says that calls have no price, so that the cost is at least the known part", () => {
    expect(bothOf(rowOf({ cost: 0.0124, unpricedCalls: 1 }), "cost")).toEqual([
      "≥ $0.012",
      "$0.0124, 1 call without a price",
    ]);
    expect(bothOf(rowOf({ cost: null, unpricedCalls: 2 }), "cost")).toEqual([
      "–",
      "Cost unknown, 2 calls without a price",
    ]);
  });

  it("has no exponent in a tiny exact cost", () => {
    expect(cellTitle(rowOf({ cost: 1.5e-9 }), "cost")).toBe("$0.0000000015");
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
    const row = rowOf({ environment: "prod\u202Etset" });
    expect(cellText(row, "environment")).toEqual({
      text: "prod⟨202E⟩tset",
      filter: ["environment", "prod\u202Etset"],
    });
    expect(cellTitle(row, "environment")).toBe("prod⟨202E⟩tset");
    expect(cellTitle(rowOf(), "environment")).toBeUndefined();
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
    const row = rowOf({ scores: { shown: [score], leftOut: 3 } });
    expect(cellText(row, "scores")).toEqual({
      text: "helpful: 1, and 3 more",
      filter: ["score", "helpful:any"],
    });
    expect(cellTitle(row, "scores")).toBe("helpful: 1\nand 3 more");
    expect(cellTitle(rowOf(), "scores")).toBeUndefined();
  });

  it("exists for every column", () => {
    for (const { id } of TRACE_COLUMNS) expect(cellText(rowOf(), id).text).not.toBe("");
  });
});
