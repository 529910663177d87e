import type { Page, PageRequest } from "../registry.ts";

/** Numbers are 32 bits wide in PostgreSQL; a cursor may hold any. */
const HIGHEST = 2 ** 31 - 1;

/** What a query has to ask for: one more than is wanted shows whether there is another page. */
export function rowsFor({ limit, before }: PageRequest): { limit: number; below: number } {
  return { limit: limit + 1, below: Math.min(before ?? HIGHEST, HIGHEST) };
}

/** The page in what the query found. */
export function pageOf<Row extends { readonly number: number }, Item>(
  rows: readonly Row[],
  { limit }: PageRequest,
  toItem: (row: Row) => Item,
): Page<Item> {
  const shown = rows.slice(0, limit);
  const next = rows.length > limit ? (shown.at(-1)?.number ?? null) : null;
  return { items: shown.map(toItem), next };
}
