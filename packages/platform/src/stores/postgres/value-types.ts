import { parseDate } from "./day.ts";

const INT8 = 20;
const INT2 = 21;
const INT4 = 23;
const FLOAT8 = 701;
const BOOL = 16;
const BYTEA = 17;
const DATE = 1082;
const FLOAT8_ARRAY = 1022;

const PARSERS: Readonly<Record<number, (text: string) => unknown>> = {
  [INT8]: Number,
  [INT2]: Number,
  [INT4]: Number,
  [FLOAT8]: Number,
  [BOOL]: (text) => text === "t",
  [BYTEA]: (text) => Buffer.from(text.slice("\\x".length), "hex"),
  [DATE]: parseDate,
  [FLOAT8_ARRAY]: (text) =>
    text === "{}" ? new Float64Array() : Float64Array.from(text.slice(1, -1).split(","), Number),
};

/**
 * How values come back from PostgreSQL: `bigint` as a number (ours are all below 2^53), `date` as
 * the days since 1970, `float8[]` as a Float64Array, texts as they were before they were stored.
 */
export const VALUE_TYPES = {
  getTypeParser: (oid: number) => PARSERS[oid] ?? fromStorable,
};

/** What the parsers, and the lists that statements are given, rely on; others may have set it otherwise. */
export const VALUE_SETTINGS = {
  datestyle: "ISO",
  bytea_output: "hex",
  extra_float_digits: "1",
  array_nulls: "on",
} as const;

// PostgreSQL's texts hold every character but U+0000. It is written as U+0001 and a digit, and so is
// U+0001 itself: that keeps texts apart, and in their order.
const ESCAPE = "\u0001";
const NUL = "\0";

/** A text as a column can hold it. */
export function toStorable(text: string): string {
  if (!text.includes(ESCAPE) && !text.includes(NUL)) return text;
  return text.replaceAll(ESCAPE, `${ESCAPE}1`).replaceAll(NUL, `${ESCAPE}0`);
}

/** The text that was made storable. */
export function fromStorable(text: string): string {
  if (!text.includes(ESCAPE)) return text;
  // In this order: what the second makes may be followed by any digit.
  return text.replaceAll(`${ESCAPE}0`, NUL).replaceAll(`${ESCAPE}1`, ESCAPE);
}
