/** Whether two values are the same JSON, whatever the order of their keys. */
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
