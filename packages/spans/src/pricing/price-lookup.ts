import type { Usage } from "@agate/protocol";
import type { PriceHistory, PriceTable, TokenPrices } from "./price-table.ts";
import { priceHistories, pricesAt } from "./price-table.ts";

/** What a model's tokens cost at a time (microseconds since 1970); null if unknown. */
export type PriceLookup = (
  provider: string | null,
  model: string,
  at: number,
) => TokenPrices | null;

// An application calls a handful of models. A client that makes names up fills the memory, which
// then starts anew.
const MOST_MODELS = 1024;
const LONGEST_NAME = 256;

/** `priceOf` of one table that remembers where it found a model. */
export function createPriceLookup(table: PriceTable): PriceLookup {
  const known = new Map<string | null, Map<string, readonly PriceHistory[]>>();
  let count = 0;
  return (provider, model, at) => {
    const found = known.get(provider)?.get(model);
    if (found !== undefined) return pricesAt(found, at);
    // No model is called that, and patterns take their time over a megabyte.
    if (model.length > LONGEST_NAME || (provider?.length ?? 0) > LONGEST_NAME) return null;
    if (count++ >= MOST_MODELS) {
      known.clear();
      count = 1;
    }
    const histories = priceHistories(table, provider, model);
    const models = known.get(provider) ?? new Map<string, readonly PriceHistory[]>();
    known.set(provider, models.set(model, histories));
    return pricesAt(histories, at);
  };
}

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
