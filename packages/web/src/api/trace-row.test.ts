import { PREVIEW_CHARACTERS, previewText } from "@agate/protocol/preview";
import { expect, it } from "vitest";
import { previewOf } from "./trace-row.ts";

it.each([
  [null, ""],
  [{ question: "What is agate?" }, "What is agate?"],
  ["x".repeat(240), "x".repeat(240)],
  ["x".repeat(241), `${"x".repeat(240)}…`],
  [`${"x".repeat(239)}\u{1F48E} and more`, `${"x".repeat(239)}…`],
])("shows %j as %j", (value, shown) => {
  expect(previewOf(value)).toBe(shown);
});

it("shows the platform's preview of a value as it shows the value", () => {
  for (const length of [240, 241, PREVIEW_CHARACTERS, PREVIEW_CHARACTERS + 1, 5_000]) {
    const value = { model: "m", messages: [{ role: "user", content: "é\n".repeat(length / 2) }] };
    expect(previewOf(previewText(value))).toBe(previewOf(value));
  }
});
