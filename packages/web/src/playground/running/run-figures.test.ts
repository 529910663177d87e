import { expect, test } from "vitest";
import { deltaText } from "./run-figures.tsx";

test.each([
  [100, 135, "+35%"],
  [100, 80, "−20%"],
  [1, 40, "+3,900%"],
  [100, 100, null],
  [1000, 1001, null],
  [0, 5, null],
  [null, 5, null],
  [5, null, null],
])("From %j to %j is %j", (before, now, text) => {
  expect(deltaText(before, now)).toBe(text);
});
