import type { RouteDiff } from "@agate/protocol";

export function countFields(routes: readonly RouteDiff[]): number {
  return routes.reduce((count, { fields }) => count + fields.length, 0);
}

/** @example fieldsText(3) // "3 fields differ" */
export function fieldsText(count: number): string {
  if (count === 0) return "no field differs";
  return count === 1 ? "1 field differs" : `${count} fields differ`;
}
