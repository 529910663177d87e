import type { StandardSchemaV1 } from "@standard-schema/spec";

/** A step of a Standard Schema issue's path, as the error body writes it. */
export function pathStep(step: PropertyKey | StandardSchemaV1.PathSegment): string | number {
  const key = typeof step === "object" ? step.key : step;
  return typeof key === "number" ? key : String(key);
}
