import { expect, test } from "vitest";
import { parseSource, printSource } from "./config-source.ts";

test.each(["default", "default@3", "env:production", "schema:defaults", "a.b-c_d@0"])(
  "%s is read as it was written",
  (text) => {
    const source = parseSource(text);
    expect(source && printSource(source)).toBe(text);
  },
);

test.each([
  "",
  "Default",
  "default@",
  "default@x",
  "env:",
  "env:a b",
  "@3",
  "schema:other",
  "a@1@2",
])("%j names nothing", (text) => {
  expect(parseSource(text)).toBeNull();
});
