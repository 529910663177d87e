import type { SpanKind, Usage } from "@agate/protocol";
import type { NumberField } from "../dialects/claim.ts";

type Numbers = Readonly<Record<NumberField, number | null>>;

/** The tokens that a span of a kind (null: not known) reported; null when it reported none. */
export function usageOf(numbers: Numbers, kind: SpanKind | null): Usage | null {
  const { inputTokens, outputTokens, totalTokens, cachedInputTokens, reasoningTokens } = numbers;
  if (
    inputTokens === null &&
    outputTokens === null &&
    totalTokens === null &&
    cachedInputTokens === null &&
    reasoningTokens === null
  ) {
    return null;
  }
  const apart = tokensApart(numbers);
  const input = inputTokens === null ? null : inputTokens + apart;
  // Models that give no tokens back report none: 0 then, and not unknown.
  const output = outputTokens ?? (kind === "EMBEDDING" || kind === "RERANKER" ? 0 : null);
  const sum = input === null || output === null ? null : input + output;
  return {
    input_tokens: input,
    output_tokens: outputTokens,
    // A total that leaves out the cached tokens, too, would be less than its parts.
    total_tokens: apart > 0 ? sum : (totalTokens ?? sum),
    cached_input_tokens: cachedInputTokens,
    reasoning_tokens: reasoningTokens,
  };
}

// Input tokens include the cached ones, but some clients pass on figures of a provider that counts
// them apart. It shows when more tokens were cached than sent, or when all add up to the total.
function tokensApart(numbers: Numbers): number {
  const { inputTokens, outputTokens, totalTokens } = numbers;
  const cached = numbers.cachedInputTokens ?? 0;
  const written = numbers.cacheWriteTokens ?? 0;
  const apart = cached + written;
  if (inputTokens === null || apart === 0) return 0;
  const isOver = cached > inputTokens || written > inputTokens;
  const addsUp = totalTokens !== null && totalTokens === inputTokens + (outputTokens ?? 0) + apart;
  return isOver || addsUp ? apart : 0;
}
