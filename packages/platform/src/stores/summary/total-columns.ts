import type { Figures } from "@agate/protocol";
import { totalText } from "@agate/spans/tree";

/** What a trace's spans add up to, for its columns: cost, three kinds of tokens, and as it is shown. */
export function totalColumns(total: Figures) {
  return [
    total.cost,
    total.usage?.input_tokens ?? null,
    total.usage?.output_tokens ?? null,
    total.usage?.total_tokens ?? null,
    totalText(total),
  ] as const;
}
