import { expect, test } from "vitest";
import { stringText } from "./string-text.ts";

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
