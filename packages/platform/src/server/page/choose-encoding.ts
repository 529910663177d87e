import type { Encoding } from "./page-manifest.ts";
import { ENCODINGS } from "./page-manifest.ts";

/**
 * The best content coding that an `Accept-Encoding` header allows; null for none.
 *
 * @example chooseEncoding("gzip, br;q=0.5") // "gzip"
 */
export function chooseEncoding(accepted: string | undefined): Encoding | null {
  const weights = new Map((accepted ?? "").split(",").map(weighed));
  const weightOf = (coding: Encoding) => weights.get(coding) ?? weights.get("*") ?? 0;
  const least = weights.get("identity") ?? 0;
  const [best = null] = (Object.keys(ENCODINGS) as Encoding[])
    .filter((coding) => weightOf(coding) > 0 && weightOf(coding) >= least)
    .sort((one, other) => weightOf(other) - weightOf(one));
  return best;
}

/** `br;q=0.5` → `["br", 0.5]` */
function weighed(part: string): readonly [coding: string, weight: number] {
  const [coding = "", ...parameters] = part.split(";").map((each) => each.trim().toLowerCase());
  const given = parameters.find((each) => each.startsWith("q="));
  // What is no number is compared as false: not taken.
  return [coding, given === undefined ? 1 : Number(given.slice(2))];
}
