/** Whether two values are the same JSON. */
export function isSameValue(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) {
    return false;
  }
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const ours = Object.entries(one);
  const theirs = new Map(Object.entries(other));
  return (
    ours.length === theirs.size &&
    ours.every(([key, value]) => theirs.has(key) && isSameValue(value, theirs.get(key)))
  );
}
