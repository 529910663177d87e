import type { NumberField } from "./dialect.ts";

/** The figures in a JSON object, by the names that its dialect gives them. */
export function tokensNamed(
  usage: Readonly<Record<string, unknown>> | null,
  names: ReadonlyMap<string, NumberField>,
): Partial<Record<NumberField, number>> {
  const numbers: Partial<Record<NumberField, number>> = {};
  if (usage === null) return numbers;
  for (const [name, field] of names) {
    const count = usage[name];
    if (typeof count === "number" && count >= 0) numbers[field] ??= count;
  }
  return numbers;
}
