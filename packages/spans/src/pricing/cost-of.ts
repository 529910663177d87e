import type { Usage } from "@agate/protocol";
import type { TokenPrices } from "./price-table.ts";

/**
 * What a call cost in US dollars; null when a count is unknown that has a price, for a part would
 * pass for the whole. Reasoning tokens are output tokens.
 */
export function costOf(
  prices: TokenPrices,
  usage: Usage,
  cacheWriteTokens: number | null,
): number | null {
  const { input_tokens: input, output_tokens: output } = usage;
  if (input === null || (output === null && prices.output !== null)) return null;
  if (output !== null && output > 0 && prices.output === null) return null;

  const cached = Math.min(usage.cached_input_tokens ?? 0, input);
  const written = Math.min(cacheWriteTokens ?? 0, input - cached);
  const perMillion =
    (input - cached - written) * prices.input +
    cached * (prices.cachedInput ?? prices.input) +
    written * (prices.cacheWrite ?? prices.input) +
    (output ?? 0) * (prices.output ?? 0);
  // To the millionth of a millionth of a dollar: below is only what binary fractions add.
  return Math.round(perMillion * 1e6) / 1e12;
}
