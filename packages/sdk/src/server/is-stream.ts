/** What a function may return to be streamed. */
export type Stream = AsyncIterable<unknown> | IterableIterator<unknown>;

/**
 * Whether a function's result is to be streamed. Strings, lists, Maps and Sets can be iterated too,
 * but are values; only iterators (what generators return) and async iterables are streams.
 */
export function isStream(value: unknown): value is Stream {
  if (typeof value !== "object" || value === null) return false;
  if (Symbol.asyncIterator in value) return true;
  return Symbol.iterator in value && "next" in value && typeof value.next === "function";
}
