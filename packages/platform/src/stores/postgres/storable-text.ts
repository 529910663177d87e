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
