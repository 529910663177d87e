/**
 * Whether a function's result is to be streamed. Strings, lists, Maps and Sets can be iterated too,
 * but are values; only iterators (what generators return) and async iterables are streams.
 */
export function isStream(
  value: unknown,
): value is AsyncIterable<unknown> | IterableIterator<unknown> {
  if (typeof value !== "object" || value === null) return false;
  if (Symbol.asyncIterator in value) return true;
  return Symbol.iterator in value && "next" in value && typeof value.next === "function";
}
