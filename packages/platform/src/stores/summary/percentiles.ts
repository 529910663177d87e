/**
 * Interpolated between the two nearest values, as PostgreSQL's `percentile_cont` does.
 *
 * @param values Is sorted in place.
 * @returns null for an empty list.
 */
export function percentilesOf(
  values: Float64Array,
): { p50: number; p95: number; p99: number } | null {
  if (values.length === 0) return null;
  const sorted = values.sort();
  return { p50: at(sorted, 0.5), p95: at(sorted, 0.95), p99: at(sorted, 0.99) };
}

function at(sorted: Float64Array, fraction: number): number {
  const place = (sorted.length - 1) * fraction;
  const low = sorted[Math.floor(place)] as number;
  const high = sorted[Math.ceil(place)] as number;
  return low + (high - low) * (place - Math.floor(place));
}
