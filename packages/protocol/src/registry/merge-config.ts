import { isRecord } from "./refused-by.ts";

/**
 * Values over others: objects are merged field by field, anything else is replaced, lists as a whole.
 * The result shares what it did not have to change; names such as `__proto__` are names like any other.
 */
export function mergeConfig<T>(under: T, over: unknown): T {
  if (over === undefined) return under;
  if (!isRecord(under) || !isRecord(over)) return over as T;
  const merged = new Map<string, unknown>(Object.entries(under));
  for (const [name, value] of Object.entries(over)) {
    merged.set(name, mergeConfig(merged.get(name), value));
  }
  return Object.fromEntries(merged) as T;
}
