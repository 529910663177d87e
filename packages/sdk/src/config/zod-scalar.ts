import type { Bounds } from "./config-schema.ts";
import type { DeclarationError } from "./declaration-error.ts";
import { isMessagesType } from "./messages.ts";
import type { ZodCheck, ZodNode } from "./zod-node.ts";
import { isNull, type UnwrappedField } from "./zod-node.ts";

/** The type of a field that has no fields of its own, as `ag.Field` would be given it. */
export function scalarType(
  { inner, checks, meta }: UnwrappedField,
  fail: (message: string) => DeclarationError,
): unknown {
  const { type, format } = inner._zod.def;
  const choices = choicesOf(inner);
  if (meta.groups !== undefined && (choices !== undefined || type === "string")) {
    const grouped = Object.values(Object(meta.groups) as object).flat();
    if (choices !== undefined && !isSameSet(choices, grouped)) {
      throw fail("Its groups hold other choices than its enum. List the same ones in both.");
    }
    return { kind: "grouped-choice", choices: meta.groups };
  }
  if (choices !== undefined) return { kind: "choice", choices };
  switch (type) {
    case "string":
      return { kind: "str" };
    case "boolean":
      return { kind: "bool" };
    case "number": {
      const formats = [format, ...checks.map((check) => check.format)];
      return { kind: formats.some((name) => name?.includes("int")) ? "int" : "float" };
    }
    case "lazy":
      throw fail(
        "A field cannot be a zod lazy: a configuration has a fixed depth. Write the schema itself.",
      );
    default:
      if (isMessagesType(inner)) return inner;
      throw fail(
        `A field cannot be a zod ${type}. Write z.string(), z.int(), z.number(), z.boolean(), z.enum([...]), or a string with .meta({ groups: {...} }), each with .default(...); z.object({...}), z.array(...), .optional() and .nullable() of these; or ag.Messages({ default: [...] }).`,
      );
  }
}

/** The values of an enum, a literal or a union of these; undefined for anything else. */
function choicesOf(node: ZodNode): readonly unknown[] | undefined {
  const { def, values } = node._zod;
  switch (def.type) {
    case "enum":
    case "literal":
      return [...(values ?? [])];
    case "union": {
      const options = (def.options ?? []).filter((option) => !isNull(option)).map(choicesOf);
      const isChoice = options.every((choices) => choices !== undefined);
      return isChoice ? [...new Set(options.flat())] : undefined;
    }
    default:
      return undefined;
  }
}

function isSameSet(left: readonly unknown[], right: readonly unknown[]): boolean {
  return (
    left.every((value) => right.includes(value)) && right.every((value) => left.includes(value))
  );
}

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
