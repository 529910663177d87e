/** The value that this part of them does not exceed. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const place = Math.ceil(sorted.length * part) - 1;
  return sorted[Math.max(place, 0)] ?? Number.NaN;
}
