import type { Usage } from "./usage.ts";

/** The fields of {@link Usage}, in the order in which they are written. */
export const USAGE_FIELDS = [
  "input_tokens",
  "output_tokens",
  "total_tokens",
  "cached_input_tokens",
  "reasoning_tokens",
] as const satisfies readonly (keyof Usage)[];
