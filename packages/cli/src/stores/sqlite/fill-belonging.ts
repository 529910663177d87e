import type { Belonging } from "./batch-encoder.ts";

/**
 * What a trace belongs to: what its top says and, where that says nothing, the earliest span that
 * does. A web framework's span at the top knows of no session; the call below it may.
 *
 * @param others In the order of their start; read only as far as needed.
 */
export function fillBelonging(top: Belonging, others: Iterable<Belonging>): Belonging {
  if (!top.includes(null)) return top;
  const filled = [...top];
  for (const other of others) {
    for (const [field, value] of other.entries()) filled[field] ??= value;
    if (!filled.includes(null)) break;
  }
  return filled as unknown as Belonging;
}
