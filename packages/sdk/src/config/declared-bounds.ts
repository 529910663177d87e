import { shownValue } from "@agate/protocol";
import type { Bounds, ConfigFieldKind } from "./config-field.ts";
import type { DeclarationError } from "./declaration-error.ts";

/**
 * The bounds of a number, at most one on each side; null for what is no number.
 *
 * @throws what `fail` makes of the first thing that is wrong.
 */
export function declaredBounds(
  kind: ConfigFieldKind,
  options: Readonly<Record<string, unknown>>,
  fail: (message: string) => DeclarationError,
): Bounds | null {
  const given = (["ge", "gt", "le", "lt"] as const).filter((bound) => options[bound] !== undefined);
  if (kind !== "int" && kind !== "float") {
    if (given.length === 0) return null;
    throw fail(`${given.join(", ")}: only int and float have bounds. Leave them out.`);
  }
  const bounds: { -readonly [Bound in keyof Bounds]: number } = {};
  for (const bound of given) {
    const value = options[bound];
    if (typeof value !== "number" || !Number.isFinite(value)) {
      throw fail(`${bound} is ${shownValue(value)}. A bound is a finite number.`);
    }
    if (kind === "int" && !Number.isSafeInteger(value)) {
      throw fail(`${bound} is ${value}. A bound of an int is a whole number of at most 53 bits.`);
    }
    bounds[bound] = value;
  }
  if (bounds.ge !== undefined && bounds.gt !== undefined) {
    throw fail("It has both ge and gt. Keep one lower bound.");
  }
  if (bounds.le !== undefined && bounds.lt !== undefined) {
    throw fail("It has both le and lt. Keep one upper bound.");
  }
  const lower = bounds.ge ?? bounds.gt;
  const upper = bounds.le ?? bounds.lt;
  const isStrict = bounds.gt !== undefined || bounds.lt !== undefined;
  if (lower !== undefined && upper !== undefined && (isStrict ? lower >= upper : lower > upper)) {
    const [low, high] = given;
    throw fail(
      `No number is within ${low}: ${lower} and ${high}: ${upper}. Move one of the bounds.`,
    );
  }
  return Object.freeze(bounds);
}
