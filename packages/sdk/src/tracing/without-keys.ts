/**
 * A value without some of its keys; of a list, each of its objects without them. If it cannot be
 * read, nothing of it.
 */
export function withoutKeys(
  value: unknown,
  keys: readonly string[],
  failed: (error: unknown) => void,
): unknown {
  try {
    return Array.isArray(value) ? value.map((item) => omit(item, keys)) : omit(value, keys);
  } catch (error) {
    failed(error);
    return undefined;
  }
}

function omit(value: unknown, keys: readonly string[]): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  if (!keys.some((key) => key in value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)));
}
