import { placesToLook } from "./provider-names.ts";

/** US dollars per million tokens. */
export interface TokenPrices {
  readonly input: number;
  /** Null for models that give no tokens back, such as embeddings. */
  readonly output: number | null;
  /** Null where cached input costs what other input does. */
  readonly cachedInput: number | null;
  /** Input that the provider keeps for later calls; null where that costs nothing extra. */
  readonly cacheWrite: number | null;
}

/** Prices and since when they hold; microseconds since 1970, -Infinity for always. */
export interface DatedPrices extends TokenPrices {
  readonly from: number;
}

/** The prices of one model over time, the latest first. */
export type PriceHistory = readonly DatedPrices[];

export interface ProviderPrices {
  /** By the model's name in lower case. */
  readonly exact: ReadonlyMap<string, PriceHistory>;
  /** In order: the first that matches counts. */
  readonly patterns: readonly { readonly pattern: RegExp; readonly history: PriceHistory }[];
}

/** One file of prices. */
export interface PriceLayer {
  /** By the provider's canonical name. */
  readonly providers: ReadonlyMap<string, ProviderPrices>;
  /** The providers to search for a model without a provider. */
  readonly makers: readonly string[];
}

/** What model calls cost. A layer that knows a model at the time asked for hides those after it. */
export interface PriceTable {
  /** When the shipped prices were gathered, `2026-11-15`. */
  readonly updated: string;
  readonly layers: readonly PriceLayer[];
}

/** What a model's tokens cost at a time (microseconds since 1970); null if unknown. */
export function priceOf(
  table: PriceTable,
  provider: string | null,
  model: string,
  at: number,
): TokenPrices | null {
  return pricesAt(priceHistories(table, provider, model), at);
}

/** The histories that a model has in the table, the one to be believed first. */
export function priceHistories(
  table: PriceTable,
  provider: string | null,
  model: string,
): readonly PriceHistory[] {
  return table.layers
    .map((layer) => historyIn(layer, provider, model))
    .filter((history) => history !== null);
}

/** The prices that held at a time, from the first history that goes back so far. */
export function pricesAt(histories: readonly PriceHistory[], at: number): TokenPrices | null {
  for (const history of histories) {
    for (const prices of history) if (prices.from <= at) return prices;
  }
  return null;
}

function historyIn(
  { providers, makers }: PriceLayer,
  provider: string | null,
  model: string,
): PriceHistory | null {
  const listed = { makers, isListed: (name: string) => providers.has(name) };
  for (const place of placesToLook(provider, model, listed)) {
    const prices = providers.get(place.provider);
    if (prices === undefined) continue;
    for (const name of modelNames(place.model ?? model)) {
      const history =
        prices.exact.get(name) ??
        prices.patterns.find(({ pattern }) => pattern.test(name))?.history;
      if (history !== undefined) return history;
    }
  }
  return null;
}

// `gpt-5-mini-2025-08-07`, `claude-sonnet-4-5-20250929`, and Vertex's `claude-sonnet-4-5@20250929`.
const DATE = /[-@]20\d{2}-?(?:0[1-9]|1[0-2])-?(?:0[1-9]|[12]\d|3[01])(?=$|-v\d|:)/;

/** The names under which a model's prices may be listed, the most exact first, in lower case. */
export function modelNames(model: string): readonly string[] {
  const full = model.trim().toLowerCase();
  const names = new Set([full]);
  // Google's `models/gemini-3-pro`, `publishers/google/models/…`
  const path = full.lastIndexOf("models/");
  if (path >= 0) names.add(full.slice(path + "models/".length));
  for (const name of [...names]) {
    names.add(name.replace(DATE, ""));
    if (name.endsWith("-latest")) names.add(name.slice(0, -"-latest".length));
  }
  return [...names].filter((name) => name !== "");
}
