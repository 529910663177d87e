import type { ListPage, ListPosition, ListRequest } from "../span-query.ts";
import type { SpanStore } from "../span-store.ts";

/** The lists of a store. */
export type ListVerb = "listTraces" | "listSpans";

/**
 * The ids on each page of a list, from the first.
 *
 * @param most Pages that are read; all by default.
 */
export async function listedPages(
  store: SpanStore,
  verb: ListVerb,
  request: Omit<ListRequest, "after">,
  most = Number.POSITIVE_INFINITY,
): Promise<string[][]> {
  const id = verb === "listTraces" ? "trace_id" : "id";
  const pages: string[][] = [];
  let after: ListPosition | null = null;
  do {
    const page: ListPage = await store[verb]({ ...request, after });
    pages.push(page.items.map((item) => JSON.parse(item)[id] as string));
    after = page.next;
  } while (after !== null && pages.length < most);
  return pages;
}
