import type { Analytics } from "@agate/protocol";

/** The stretch that ends where an answer begins, and is as long; null where time had not begun. */
export function periodBefore({
  from,
  to,
}: Pick<Analytics, "from" | "to">): { readonly from: string; readonly to: string } | null {
  const start = 2 * Date.parse(from) - Date.parse(to);
  return start < 0 ? null : { from: new Date(start).toISOString(), to: from };
}
