import type { Bounds } from "./config-field.ts";
import type { ZodCheck, ZodNode } from "./zod-node.ts";

// The number formats that have a range of their own.
const RANGES: ReadonlyMap<unknown, readonly [number, number]> = new Map([
  ["int32", [-(2 ** 31), 2 ** 31 - 1]],
  ["uint32", [0, 2 ** 32 - 1]],
]);

/** The bounds that zod's checks of a number add up to: the tightest on each side. */
export function zodBounds({ _zod: { def } }: ZodNode, checks: readonly ZodCheck[]): Bounds {
  if (def.type !== "number") return {};
  let lower: Limit | undefined;
  let upper: Limit | undefined;
  // `z.int32()` is its own first check.
  for (const { check, value, inclusive = false, format } of [def, ...checks]) {
    const range = RANGES.get(format);
    if (range !== undefined) {
      lower = tighter(lower, { value: range[0], inclusive: true }, 1);
      upper = tighter(upper, { value: range[1], inclusive: true }, -1);
    }
    if (typeof value !== "number") continue;
    if (check === "greater_than") lower = tighter(lower, { value, inclusive }, 1);
    if (check === "less_than") upper = tighter(upper, { value, inclusive }, -1);
  }
  return {
    ...(lower && { [lower.inclusive ? "ge" : "gt"]: lower.value }),
    ...(upper && { [upper.inclusive ? "le" : "lt"]: upper.value }),
  };
}

interface Limit {
  readonly value: number;
  readonly inclusive: boolean;
}

/** The limit that leaves fewer numbers; `direction` is 1 for lower limits and -1 for upper ones. */
function tighter(current: Limit | undefined, other: Limit, direction: 1 | -1): Limit {
  if (current === undefined) return other;
  if (current.value === other.value) return current.inclusive ? other : current;
  return (other.value - current.value) * direction > 0 ? other : current;
}

/** How many items zod's checks of an array allow. */
export function itemCounts(checks: readonly ZodCheck[]): {
  readonly minItems?: number;
  readonly maxItems?: number;
} {
  const lowest = checks.flatMap(({ check, minimum, length }) =>
    check === "min_length" ? [Number(minimum)] : check === "length_equals" ? [Number(length)] : [],
  );
  const highest = checks.flatMap(({ check, maximum, length }) =>
    check === "max_length" ? [Number(maximum)] : check === "length_equals" ? [Number(length)] : [],
  );
  return {
    ...(lowest.length > 0 && { minItems: Math.max(...lowest) }),
    ...(highest.length > 0 && { maxItems: Math.min(...highest) }),
  };
}
