/** A value that is nested deeper is left to the `JsonWriter`. */
const DEEPEST = 100;

/**
 * The JSON of plain data, in a fifth of the time that a `JsonWriter` takes for the same text. Undefined of anything
 * that `JSON.stringify` would refuse, or write less of than the `JsonWriter` does. Never throws.
 */
export function plainJson(value: unknown): string | undefined {
  try {
    return isPlainData(value, 0) ? JSON.stringify(value) : undefined;
  } catch {
    // A getter or a proxy that throws.
    return undefined;
  }
}

function isPlainData(value: unknown, depth: number): boolean {
  switch (typeof value) {
    case "string":
    case "boolean":
    case "undefined":
      return true;
    case "number":
      return Number.isFinite(value);
    case "object":
      return value === null || (depth < DEEPEST && isPlainObject(value, depth));
    default:
      return false;
  }
}

function isPlainObject(value: object, depth: number): boolean {
  if ("toJSON" in value) return false;
  if (Array.isArray(value)) {
    for (const item of value) if (!isPlainData(item, depth + 1)) return false;
    return true;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  for (const key of Object.keys(value)) {
    if (!isPlainData(value[key as keyof object], depth + 1)) return false;
  }
  return true;
}
