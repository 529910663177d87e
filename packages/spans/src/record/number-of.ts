import type { AttributeValue } from "../otlp-span.ts";

const NUMBER = /^\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/**
 * The count or amount that an attribute stands for. Null for what cannot be one: negative, not
 * finite, or too large to be exact.
 */
export function numberOf(value: AttributeValue): number | null {
  const number =
    typeof value === "number"
      ? value
      : typeof value === "bigint" || (typeof value === "string" && NUMBER.test(value))
        ? Number(value)
        : Number.NaN;
  return number >= 0 && number <= Number.MAX_SAFE_INTEGER ? number : null;
}

/** Whether a field that holds this number shows all of the attribute's value. */
export function isNumberShown(value: AttributeValue, shown: number | null): boolean {
  if (shown === null) return false;
  return typeof value === "string" ? value === `${shown}` : numberOf(value) === shown;
}
