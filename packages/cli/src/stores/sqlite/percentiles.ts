import type { DatabaseSync } from "node:sqlite";

/**
 * Adds the SQL aggregate `percentiles(number)`: JSON `{"p50","p95","p99"}`, interpolated between the
 * two nearest values as PostgreSQL's `percentile_cont` does; `null` over no numbers.
 */
export function registerPercentiles(db: DatabaseSync): void {
  db.aggregate("percentiles", {
    deterministic: true,
    start: () => [] as unknown as null,
    step: (values: unknown, value: unknown) => {
      if (typeof value === "number") (values as number[]).push(value);
      return values as null;
    },
    result: (values: unknown) => JSON.stringify(percentilesOf(values as number[])),
  });
}

/** @returns null for an empty list. */
export function percentilesOf(
  values: readonly number[],
): { p50: number; p95: number; p99: number } | null {
  if (values.length === 0) return null;
  const sorted = Float64Array.from(values).sort();
  return { p50: at(sorted, 0.5), p95: at(sorted, 0.95), p99: at(sorted, 0.99) };
}

function at(sorted: Float64Array, fraction: number): number {
  const place = (sorted.length - 1) * fraction;
  const low = sorted[Math.floor(place)] as number;
  const high = sorted[Math.ceil(place)] as number;
  return low + (high - low) * (place - Math.floor(place));
}
