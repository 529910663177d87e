import { numberOf } from "../otlp-span.ts";
import type { NumberField } from "./dialect.ts";

type Usage = Readonly<Record<string, unknown>> | null;

/** The figures in a JSON object, by the names that its dialect gives them. */
export function tokensNamed(
  usage: Usage,
  names: ReadonlyMap<string, NumberField>,
): Partial<Record<NumberField, number>> {
  const numbers: Partial<Record<NumberField, number>> = {};
  for (const [name, field] of names) {
    const count = figureIn(usage, name);
    if (count !== null) numbers[field] ??= count;
  }
  return numbers;
}

/** The dollars in a JSON object: its `total_cost`, or what input and output cost together. */
export function costIn(usage: Usage): number | null {
  const total = figureIn(usage, "total_cost");
  if (total !== null) return total;
  const input = figureIn(usage, "input_cost");
  const output = figureIn(usage, "output_cost");
  return input === null && output === null ? null : (input ?? 0) + (output ?? 0);
}

// JSON has numbers beyond every double: 1e999 is no count.
function figureIn(usage: Usage, name: string): number | null {
  const value = usage?.[name];
  return typeof value === "number" ? numberOf(value) : null;
}
