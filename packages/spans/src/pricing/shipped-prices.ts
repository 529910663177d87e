import { parsePrices } from "./parse-prices.ts";
import type { PriceTable } from "./price-table.ts";
import shipped from "./prices.gen.json" with { type: "json" };
import { MODEL_MAKERS } from "./provider-names.ts";

/** The prices that Agate ships, read anew at each call. */
export function shippedPrices(): PriceTable {
  const parsed = parsePrices(shipped);
  if (parsed.kind === "invalid") throw new Error(`prices.gen.json: ${parsed.reason}`);
  return {
    updated: parsed.updated ?? "unknown",
    layers: [{ providers: parsed.providers, makers: MODEL_MAKERS }],
  };
}
