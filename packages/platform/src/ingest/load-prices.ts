import { readFileSync } from "node:fs";
import { type ParsedPrices, type PriceLayer, type PriceTable, parsePrices } from "@agate/spans";
import { shippedPrices } from "@agate/spans/prices";

export type LoadedPrices =
  | { readonly kind: "loaded"; readonly table: PriceTable }
  /** One sentence for the person who wrote the file. */
  | { readonly kind: "invalid"; readonly reason: string };

/**
 * The price table: what Agate ships and, before it, the prices of a file (`--prices FILE`). A model
 * in the file overrides the shipped one or adds to it.
 */
export function loadPrices(file: string | null): LoadedPrices {
  const shipped = shippedPrices();
  if (file === null) return { kind: "loaded", table: shipped };

  const own = parseFile(file);
  if (own.kind === "invalid") {
    return { kind: "invalid", reason: `The price file ${file} cannot be used: ${own.reason}.` };
  }
  const ownLayer: PriceLayer = { providers: own.providers, makers: [...own.providers.keys()] };
  return { kind: "loaded", table: { ...shipped, layers: [ownLayer, ...shipped.layers] } };
}

function parseFile(file: string): ParsedPrices {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    return {
      kind: "invalid",
      reason: `it cannot be read (${(error as NodeJS.ErrnoException).code})`,
    };
  }
  let json: unknown;
  try {
    json = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    return { kind: "invalid", reason: `it is not JSON (${(error as SyntaxError).message})` };
  }
  return parsePrices(json);
}
