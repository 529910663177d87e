/**
 * The content coding that an `Accept-Encoding` header prefers, of those that are on offer, the first of
 * equals; null for none.
 *
 * @example chooseEncoding(["br", "gzip"], "gzip, br;q=0.5") // "gzip"
 */
export function chooseEncoding<Coding extends string>(
  offered: readonly Coding[],
  accepted: string | undefined,
): Coding | null {
  const weights = new Map((accepted ?? "").split(",").map(weighed));
  const weightOf = (coding: Coding) => weights.get(coding) ?? weights.get("*") ?? 0;
  const least = weights.get("identity") ?? 0;
  const [best = null] = offered
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
