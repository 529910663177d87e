/**
 * A count in the space of five characters; the whole number belongs into a title beside it.
 *
 * @example formatCount(12_345) // "12.3K"
 */
export function formatCount(count: number | null): string {
  if (count === null) return "–";
  if (Math.abs(count) < 10_000) return count.toLocaleString("en");
  return count.toLocaleString("en", { notation: "compact", maximumFractionDigits: 1 });
}

/** A whole count with its unit: "1 token", "12,345 tokens". */
export function formatUnits(count: number | null, unit: string): string {
  if (count === null) return "–";
  return `${count.toLocaleString("en")} ${unit}${count === 1 ? "" : "s"}`;
}
