import { expect, it } from "vitest";
import { rowOf } from "../live/trace-row.fixture.ts";
import { rowsSince } from "./rows-since.ts";

const ROWS = ["12:02:00.000000", "12:01:00.000400", "12:00:00.000000"].map((time) =>
  rowOf({ startedAt: `2026-11-15T${time}Z` }),
);

it.each([
  [undefined, 3],
  ["2026-11-15T12:00:00.000Z", 3],
  ["2026-11-15T12:00:00.001Z", 2],
  // The platform's times are finer than a browser's.
  ["2026-11-15T12:01:00.000Z", 2],
  ["2026-11-15T13:01:00.000+01:00", 2],
  ["2026-11-15T12:02:00.001Z", 0],
  ["nonsense", 3],
])("of a list since %s, %i rows are left", (from, count) => {
  expect(rowsSince(ROWS, from)).toEqual(ROWS.slice(0, count));
});

it("leaves the list itself where nothing is too old, so that nothing is drawn anew", () => {
  expect(rowsSince(ROWS, "2026-11-15T12:00:00Z")).toBe(ROWS);
});
