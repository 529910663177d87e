/**
 * A deep copy of plain objects and lists, for a caller to do with as it likes. Other objects (a
 * developer may put anything into a routing context) are shared.
 */
export function copyData<T>(value: T): T {
  return copy(value, new Map()) as T;
}

function copy(value: unknown, copies: Map<object, unknown>): unknown {
  if (typeof value !== "object" || value === null) return value;
  const known = copies.get(value);
  if (known !== undefined) return known;
  if (Array.isArray(value)) {
    const list: unknown[] = [];
    copies.set(value, list);
    for (const item of value) list.push(copy(item, copies));
    return list;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) return value;
  const object: Record<string, unknown> = {};
  copies.set(value, object);
  for (const [key, item] of Object.entries(value)) {
    // Not by assignment, which would take a key `__proto__` for more than data.
    Object.defineProperty(object, key, {
      value: copy(item, copies),
      configurable: true,
      enumerable: true,
      writable: true,
    });
  }
  return object;
}
