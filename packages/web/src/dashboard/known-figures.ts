import type { AnalyticsFigures } from "@agate/protocol";

type TokenKind = keyof AnalyticsFigures["tokens"];

/** Null where there were calls and none of them has told its tokens. */
export function knownTokens(
  { count, tokens, with_tokens }: AnalyticsFigures,
  kind: TokenKind,
): number | null {
  return count > 0 && with_tokens === 0 ? null : tokens[kind];
}

/** US dollars for each call whose cost is known; null where there is none. */
export function costPerCall({ cost, with_cost }: AnalyticsFigures): number | null {
  return cost === null || with_cost === 0 ? null : cost / with_cost;
}
