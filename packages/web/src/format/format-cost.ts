/** Less is said to be less: more digits would be cut off in a column. */
const LEAST = 0.000001;
/** Of so much, nobody counts the cents. */
const WHOLE_FROM = 100_000;

/**
 * US dollars; what nobody knows is no 0.
 *
 * @example formatCost(0.000482) // "$0.00048"
 */
export function formatCost(dollars: number | null): string {
  if (dollars === null) return "–";
  if (dollars === 0) return "$0";
  if (dollars < LEAST) return `<$${LEAST.toFixed(6)}`;
  if (dollars >= 0.995) {
    const cents = dollars < WHOLE_FROM ? 2 : 0;
    return `$${dollars.toLocaleString("en", { minimumFractionDigits: cents, maximumFractionDigits: cents })}`;
  }
  return `$${dollars.toLocaleString("en", { maximumSignificantDigits: 2, minimumSignificantDigits: 2 })}`;
}
