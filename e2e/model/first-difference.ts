/**
 * Where two JSON values differ first, with both values there; undefined when they are equal. Numbers
 * may differ by the noise of a sum. A whole diff of two traces would be megabytes.
 */
export function firstDifference(actual: unknown, expected: unknown, path = ""): string | undefined {
  if (Object.is(actual, expected)) return undefined;
  if (typeof actual === "number" && typeof expected === "number") {
    const noise = 1e-9 * Math.max(1, Math.abs(expected));
    if (Math.abs(actual - expected) <= noise) return undefined;
  }
  if (isObject(actual) && isObject(expected) && Array.isArray(actual) === Array.isArray(expected)) {
    for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
      const difference = firstDifference(actual[key], expected[key], `${path}/${key}`);
      if (difference !== undefined) return difference;
    }
    return undefined;
  }
  return `${path || "/"}: got ${shown(actual)}, expected ${shown(expected)}`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 200 ? `${text.slice(0, 200)}… (${text.length} characters)` : text;
}
