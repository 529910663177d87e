import { expect, test } from "vitest";
import { parseRunSearch, parseRunsSearch } from "./runs-search.ts";

test("The address keeps the filters of the list that are there, and nothing else", () => {
  expect(parseRunsSearch({ application: "tickets", evaluation: "", other: "x" })).toEqual({
    application: "tickets",
  });
  expect(parseRunsSearch({ application: 1 })).toEqual({});
});

test("The address of a run says whether only worse cases are listed", () => {
  expect(parseRunSearch({ worse: "true" })).toEqual({ worse: "true" });
  expect(parseRunSearch({ worse: "false" })).toEqual({});
});
