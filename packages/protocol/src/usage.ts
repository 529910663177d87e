import { z } from "zod";

const tokens = z.number().nonnegative().nullable();

/**
 * Tokens of one model call, or of a subtree. `null` means that nobody reported the figure, which is
 * not the same as 0. `input_tokens` includes the cached ones.
 *
 * @example { input_tokens: 12, output_tokens: 3, total_tokens: 15, cached_input_tokens: null, reasoning_tokens: null }
 */
export const usageSchema = z
  .strictObject({
    input_tokens: tokens,
    output_tokens: tokens,
    total_tokens: tokens,
    cached_input_tokens: tokens,
    reasoning_tokens: tokens,
  })
  .meta({ id: "Usage" });

export type Usage = z.infer<typeof usageSchema>;
