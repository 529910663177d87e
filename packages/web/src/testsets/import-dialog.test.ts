import { expect, it } from "vitest";
import { isJsonl } from "./import-dialog.tsx";

it.each([
  ['{"inputs": {}}', true],
  ['\uFEFF\n  {"inputs"', true],
  ["id,inputs.text", false],
  ["", false],
])("%j is JSONL: %s", (text, expected) => {
  expect(isJsonl(text)).toBe(expected);
});
