import type { SeededRandom } from "../durability/seeded-random.ts";
import type { ModelLog } from "./model-log.ts";
import type { ModelSpan } from "./model-span.ts";
import { REPEATED, WORDS } from "./random-spans.ts";

/** A word of everything that is logged, and of nothing else. */
export const LOG_WORD = "everylog";

/** 3 January 2026, in microseconds. */
const FIRST = 1_767_398_400_000_000;

/** Messages that are logged of one of these spans. */
export function randomLog(random: SeededRandom, spans: readonly ModelSpan[]): ModelLog {
  const { traceId, spanId } = random.pick(spans);
  const texts = (most: number) =>
    Array.from({ length: random.between(0, most) }, () => randomText(random));
  const whole = () =>
    random.chance(0.15) ? random.pick([randomText, randomObject])(random) : null;
  const log = { traceId, spanId, at: randomTime(random), asked: texts(3), answered: texts(2) };
  const isEmpty = log.asked.length + log.answered.length === 0;
  return { ...log, inputs: isEmpty ? randomObject(random) : whole(), outputs: whole() };
}

/** Nearly as long as one request may have of a span: 33 of them have room in a span, and no more. */
export function longLog(random: SeededRandom, span: ModelSpan): ModelLog {
  const asked = [`${LOG_WORD} ${random.hex(8)} ${"x".repeat(126_000)}`];
  return { ...randomLog(random, [span]), asked, answered: [], inputs: null, outputs: null };
}

/** More than one request may have of a span, in two log records. */
export function tooLongLog(random: SeededRandom, span: ModelSpan): ModelLog {
  const log = longLog(random, span);
  return { ...log, asked: [...log.asked, "y".repeat(10_000)] };
}

/** The same time hardly twice: rows of the same time are in the order of their hashes. */
export function randomTime(random: SeededRandom): number {
  return FIRST + random.between(0, 86_400_000_000);
}

function randomText(random: SeededRandom): string {
  const words = Array.from({ length: random.between(0, 4) }, () => random.pick(WORDS));
  if (random.chance(0.2)) return random.pick(REPEATED);
  return [LOG_WORD, ...words, random.pick(["", '"\\ 🤖', "l".repeat(300)])].join(" ");
}

function randomObject(random: SeededRandom): object {
  return { text: randomText(random), list: [random.between(1, 9), null, { deep: [true] }] };
}
