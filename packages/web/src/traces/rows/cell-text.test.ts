import { describe, expect, it } from "vitest";
import { rowOf } from "../live/trace-row.fixture.ts";
import { cellText } from "./cell-text.ts";
import { TRACE_COLUMNS } from "./trace-columns.ts";

const USAGE = {
  input_tokens: 12_000,
  output_tokens: 345,
  total_tokens: 12_345,
  cached_input_tokens: 2000,
  reasoning_tokens: null,
};

describe("a cell", () => {
  it("is rounded to be read, and exact in its title", () => {
    const row = rowOf({ latency: 1934.5678, cost: 0.00048213, usage: USAGE });
    expect(cellText(row, "latency")).toEqual({ text: "1.93 s", title: "1,934.5678 ms" });
    expect(cellText(row, "cost")).toEqual({ text: "$0.00048", title: "$0.00048213" });
    expect(cellText(row, "tokens")).toEqual({
      text: "12.3K",
      title: "12,000 in, 2,000 cached, 345 out, 12,345 total",
    });
  });

  it("has no exponent in an exact cost, however small", () => {
    expect(cellText(rowOf({ cost: 1.5e-9 }), "cost").title).toBe("$0.0000000015");
  });

  it("tells what is nothing from what nobody knows", () => {
    expect(cellText(rowOf({ cost: 0 }), "cost").text).toBe("$0");
    for (const column of ["latency", "tokens", "cost", "variant", "revision", "user"] as const) {
      expect(cellText(rowOf(), column).text, column).toBe("–");
    }
  });

  it("can be filtered by where it names something, and not where it does not", () => {
    expect(cellText(rowOf({ userId: "ada" }), "user").filter).toEqual(["user_id", "ada"]);
    expect(cellText(rowOf(), "user").filter).toBeUndefined();
  });

  it("writes out what cannot be seen, and filters by what is recorded", () => {
    const cell = cellText(rowOf({ environment: "prod\u202Etset" }), "environment");
    expect(cell).toEqual({
      text: "prod⟨202E⟩tset",
      title: "prod⟨202E⟩tset",
      filter: ["environment", "prod\u202Etset"],
    });
  });

  it("is there for every column", () => {
    for (const { id } of TRACE_COLUMNS) expect(cellText(rowOf(), id).text).not.toBe("");
  });
});
