export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether two values are the same JSON. The order of keys does not matter. */
export function isSameJson(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) {
    return false;
  }
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const ours = Object.entries(one);
  const theirs = new Map(Object.entries(other));
  return (
    ours.length === theirs.size &&
    ours.every(([key, value]) => theirs.has(key) && isSameJson(value, theirs.get(key)))
  );
}

/**
 * Merges one configuration into another: objects field by field, lists and scalars as a whole. The
 * result shares the unchanged parts; `__proto__` is a field name like any other.
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

/** Whether lists and objects are nested deeper than this. Looks no deeper, so that it cannot run out of stack. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  return Object.values(value).some((inner) => isDeeperThan(inner, levels - 1));
}
