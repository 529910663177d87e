import { describe, expect, it } from "vitest";
import { ApiError } from "../api/api-error.ts";
import { chipsOf, filterProblems } from "./filters/filter-fields.ts";
import {
  boundedRange,
  filtersOf,
  histogramTime,
  parseTracesSearch,
  TRACE_FILTERS,
  withFilter,
  withoutFilters,
} from "./traces-search.ts";

describe("the address of the list", () => {
  it("keeps known parameters and drops others", () => {
    const search = parseTracesSearch({
      application: "shop",
      min_cost: "0.01",
      q: '"no refund"',
      status: "",
      live: "on",
      view: "spans",
      utm_source: "mail",
      name: 5,
    });
    expect(search).toEqual({
      application: "shop",
      min_cost: "0.01",
      q: '"no refund"',
      live: "on",
      view: "spans",
    });
    expect(filtersOf(search)).toEqual({ application: "shop", min_cost: "0.01", q: '"no refund"' });
  });

  it.each(TRACE_FILTERS)("keeps the filter %s", (name) => {
    const search = parseTracesSearch({ [name]: "7" });
    expect(search).toEqual({ [name]: "7" });
    expect(filtersOf(search)).toEqual({ [name]: "7" });
  });

  it("accepts only known values of live and view", () => {
    expect(parseTracesSearch({ live: "1", view: "trees" })).toEqual({});
  });

  it("sets, changes and removes a filter", () => {
    const search = withFilter({ range: "1h", variant: "a" }, "variant", "b");
    expect(search).toEqual({ range: "1h", variant: "b" });
    expect(withFilter(search, "variant", "")).toEqual({ range: "1h" });
  });

  it("clears filters, search and range, but keeps live and view", () => {
    expect(
      withoutFilters({ q: "x", status: "OK", range: "1h", live: "on", view: "spans" }),
    ).toEqual({ live: "on", view: "spans" });
  });
});

describe("filters as chips", () => {
  it("are described in words, in a fixed order", () => {
    const chips = chipsOf({
      min_cost: "0.01",
      min_latency: "1500",
      q: "words",
      user_id: "ada",
      status: "ERROR",
      application: "shop",
    });
    expect(chips.map(({ text }) => text)).toEqual([
      "Application is shop",
      "Status is ERROR",
      "User is ada",
      "Latency ≥ 1500 ms",
      "Cost ≥ $0.01",
    ]);
  });

  it.each([
    ["helpful<0.5", "Score helpful < 0.5"],
    ["helpful>=1", "Score helpful ≥ 1"],
    ["helpful=0", "Score helpful = 0"],
    ["helpful:none", "Score helpful: none"],
    ["helpful", "Score helpful"],
  ])("show the score condition %s as %s", (score, text) => {
    expect(chipsOf({ score })[0]?.text).toBe(text);
  });

  it.each(["lots", "-1", "1e999"])("shows the invalid number %j as text", (value) => {
    expect(chipsOf({ min_latency: value })[0]?.text).toBe(`Latency ≥ ${value}`);
  });
});

describe("filters that the platform rejects", () => {
  it("have its message, by filter", () => {
    const error = new ApiError(422, {
      detail: [
        { loc: ["query", "min_cost"], msg: "Must be a number.", type: "number_invalid" },
        { loc: ["query", "from"], msg: "Must be a time.", type: "date_time_invalid" },
      ],
    });
    expect([...filterProblems(error)]).toEqual([
      ["min_cost", "Must be a number."],
      ["from", "Must be a time."],
    ]);
  });

  it("are none where the platform failed itself", () => {
    const detail = [{ loc: ["query", "q"], msg: "Try again.", type: "internal" }];
    expect(filterProblems(new ApiError(503, { detail })).size).toBe(0);
    expect(filterProblems(new Error("offline")).size).toBe(0);
    expect(filterProblems(null).size).toBe(0);
  });
});

const ALL = { kind: "last", span: "all" } as const;

it.each([
  [ALL, { from: "earliest" }],
  [{ kind: "last", span: "24h" }, { last: 86_400_000 }],
  [{ kind: "fixed", from: "2026-11-01" }, { from: "2026-11-01" }],
  [
    { kind: "fixed", from: "2026-11-01", to: "2026-11-02" },
    { from: "2026-11-01", to: "2026-11-02" },
  ],
  // Without a beginning the list has everything before the end, and so has the histogram.
  [
    { kind: "fixed", to: "2026-11-02" },
    { from: "earliest", to: "2026-11-02" },
  ],
] as const)("the histogram of %j covers %j", (range, time) => {
  expect(histogramTime(range)).toEqual(time);
});

it("bounds the range of suggestions", () => {
  expect(boundedRange(ALL)).toEqual({ kind: "last", span: "30d" });
  const range = { kind: "fixed", from: "2026-11-01" } as const;
  expect(boundedRange(range)).toBe(range);
});
