import type { Usage } from "@agate/protocol";

/**
 * Tokens on one line; what nobody has reported is left out.
 *
 * @example usageText(usage) // "1,000 in · 200 out · 600 cached · 30 reasoning"
 */
export function usageText(usage: Usage | null): string {
  if (usage === null) return "–";
  const parts = [
    counted(usage.input_tokens, "in"),
    counted(usage.output_tokens, "out"),
    // That nothing was cached is said by saying nothing.
    counted(usage.cached_input_tokens || null, "cached"),
    counted(usage.reasoning_tokens || null, "reasoning"),
  ].filter((part) => part !== null);
  return parts.join(" · ") || (usage.total_tokens?.toLocaleString("en") ?? "–");
}

function counted(count: number | null, what: string): string | null {
  return count === null ? null : `${count.toLocaleString("en")} ${what}`;
}
