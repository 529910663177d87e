/**
 * A part of a whole; what nobody knows is no 0.
 *
 * @example formatShare(0.0312) // "3.1%"
 */
export function formatShare(share: number | null): string {
  if (share === null) return "–";
  const percent = share * 100;
  if (percent === 0 || percent === 100) return `${percent}%`;
  if (percent < 0.01) return "<0.01%";
  if (percent < 0.995) return `${percent.toFixed(2)}%`;
  // Nearly all is not all.
  return percent < 99.95 ? `${percent.toFixed(1)}%` : ">99.9%";
}

/** How many of the calls failed; null where there were none. */
export function errorRate({
  count,
  errors,
}: {
  readonly count: number;
  readonly errors: number;
}): number | null {
  return count === 0 ? null : errors / count;
}
