import { expect, test } from "vitest";
import { tickText } from "./tick-text.ts";

test.each([
  ["2.00 s", "2 s"],
  ["1.50 s", "1.5 s"],
  ["10.0 s", "10 s"],
  ["500 ms", "500 ms"],
  ["1 h 20 min", "1 h 20 min"],
  ["$0.0020", "$0.002"],
  ["$1.00", "$1"],
  ["$1.50", "$1.5"],
  ["1,000", "1,000"],
  ["20K", "20K"],
  ["10", "10"],
])("a tick of %s is %s", (text, short) => {
  expect(tickText(text)).toBe(short);
});
