import { quoted } from "../../query/parameter-kinds.ts";
import type { Parsed } from "../../query/query-parameter.ts";

/** Reads the number of a revision. */
export function parseRevisionNumber(text: string): Parsed<number> {
  const takes = `Takes a whole number from 1, not ${quoted(text)}.`;
  if (!/^\d+$/.test(text)) return { kind: "problem", type: "number_invalid", msg: takes };
  const number = Number(text);
  return number >= 1 && Number.isSafeInteger(number)
    ? { kind: "value", value: number }
    : { kind: "problem", type: "out_of_range", msg: takes };
}
