import { expect, it, test } from "vitest";
import { numberText, stringText } from "./json-text.ts";

it.each([
  ["0", "0"],
  ["-1.5", "-1.5"],
  ["1e-320", "1e-320"],
  ["9007199254740991", "9007199254740991"],
  ["9007199254740993", "≈ 9007199254740992"],
  ["-123456789012345678901234567890", "≈ -1.2345678901234568e+29"],
  ["1e400", "above 1.79e+308"],
  ["-1e400", "below -1.79e+308"],
])("%s is shown as %s", (recorded, shown) => {
  expect(numberText(JSON.parse(recorded))).toBe(shown);
});

test.each(["", "  ", "5", "-0.5e3", "true", "null"])(
  "%j is told from what it looks like",
  (value) => {
    expect(stringText(value)).toBe(`"${value}"`);
  },
);

test.each(["Berne", "5 nights", " 5", "1.2.3", "nullable", "a\n"])(
  "%j is shown as it is",
  (value) => {
    expect(stringText(value)).toBe(value);
  },
);
