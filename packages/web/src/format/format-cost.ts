/**
 * US dollars; what nobody knows is no 0.
 *
 * @example formatCost(0.000482) // "$0.00048"
 */
export function formatCost(dollars: number | null): string {
  if (dollars === null) return "–";
  if (dollars === 0) return "$0";
  if (dollars >= 0.995)
    return `$${dollars.toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
  return `$${dollars.toLocaleString("en", { maximumSignificantDigits: 2, minimumSignificantDigits: 2 })}`;
}
