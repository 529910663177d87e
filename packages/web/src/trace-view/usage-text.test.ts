import { expect, it } from "vitest";
import { usageText } from "./usage-text.ts";

const nothing = {
  input_tokens: null,
  output_tokens: null,
  total_tokens: null,
  cached_input_tokens: null,
  reasoning_tokens: null,
};

it.each([
  [null, "–"],
  [nothing, "–"],
  [{ ...nothing, total_tokens: 1500 }, "1,500"],
  [{ ...nothing, input_tokens: 0, output_tokens: 2, cached_input_tokens: 0 }, "0 in · 2 out"],
  [
    {
      input_tokens: 1000,
      output_tokens: 200,
      total_tokens: 1200,
      cached_input_tokens: 600,
      reasoning_tokens: 30,
    },
    "1,000 in · 200 out · 600 cached · 30 reasoning",
  ],
])("%j is %j", (usage, text) => {
  expect(usageText(usage)).toBe(text);
});
