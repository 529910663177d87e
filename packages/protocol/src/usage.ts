/**
 * Tokens of one model call, or of a subtree. `null` means that nobody reported the figure, which is
 * not the same as 0. `input_tokens` includes the cached ones.
 *
 * @example { input_tokens: 12, output_tokens: 3, total_tokens: 15, cached_input_tokens: null, reasoning_tokens: null }
 */
export interface Usage {
  input_tokens: number | null;
  output_tokens: number | null;
  total_tokens: number | null;
  cached_input_tokens: number | null;
  reasoning_tokens: number | null;
}
