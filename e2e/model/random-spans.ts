import type { SeededRandom } from "../durability/seeded-random.ts";
import { expectedRecord } from "./expected-record.ts";
import type { ModelFigures, ModelSpan } from "./model-span.ts";

/** How large a trace is: each kind is around a limit inside the stores. */
export type TraceSize =
  /** A few spans that say much. */
  | "small"
  /** Together about as long as a segment of 128 KiB, with or without 200 bytes of glue for each span. */
  | "segment"
  /** Spans that are longer than a segment each. */
  | "heavy"
  /** One span with more words than a search vector of PostgreSQL holds (16,000). */
  | "wordy"
  /** More spans than are summarised at every commit (2,000). */
  | "large"
  /** About as many spans as are read in a thread of their own (5,000). */
  | "threaded"
  /** Longer than the window in which a large trace is read (16 MiB). */
  | "huge";

const SEGMENT_BYTES = 128 * 1024;
const GLUE_BYTES = 200;
/** 3 January 2026. */
const FIRST_SECOND = 1_767_398_400;
const SECONDS = 50_000;

/** A word of every span that has content. */
export const COMMON_WORD = "everyspan";
export const WORDS = [
  "refund",
  "refuse",
  "Crème",
  "brûlée",
  "7-42",
  "東京",
  "order",
  "ship",
  "Ünder",
];
/** Texts that several spans of a trace have, as the calls of an agent repeat their history. */
export const REPEATED = [
  "Ünder the order, ship",
  "Crème brûlée 7-42 everyturn",
  "東京 refund 東京",
  "refuse",
  "ship order refund refuse everyturn",
];
const LONG_TEXTS = ["x", "é", "東", "🤖", '"', "\\"];

/** The one word that only this span has. */
export function wordOf({ spanId }: ModelSpan): string {
  return `w${spanId}`;
}

/** A new trace. The order of the spans is that of their parents, not of their start. */
export function randomTrace(random: SeededRandom, size: TraceSize): ModelSpan[] {
  const traceId = random.hex(32);
  const second = FIRST_SECOND + random.between(0, SECONDS);
  const start = BigInt(second) * 1_000_000_000n + BigInt(random.between(0, 3)) * 1_000n;
  const spans: ModelSpan[] = [];
  const count = countOf(random, size);
  const isBare =
    size === "large" || size === "threaded" || (size === "segment" && random.chance(0.6));
  for (let n = 0; n < count; n++) {
    const span = isBare ? bareSpan(random, traceId) : tellingSpan(random, traceId);
    spans.push({
      ...span,
      ...sized(random, size, span),
      parentId: parentOf(random, spans),
      start: start + BigInt(random.between(0, n)) * 1_000n + BigInt(random.pick(NANOS)),
    });
  }
  const runs = runsOf(random, count);
  const ended = spans.map((span, n) => ({
    ...span,
    end: endOf(random, span),
    run: runs.get(n) ?? null,
  }));
  return size === "segment" ? paddedToSegment(random, ended) : ended;
}

/** Several of one trace may start in the same nanosecond, or the same microsecond. */
const NANOS = [0, 0, 0, 1, 500, 999];

/** The same span with another name, status or content, and sometimes another parent or start. */
export function changedSpan(random: SeededRandom, span: ModelSpan): ModelSpan {
  const other = tellingSpan(random, span.traceId);
  const moved = random.chance(0.2)
    ? { start: span.start - BigInt(random.between(0, 5) * 1_000 + random.pick(NANOS)) }
    : {};
  const adopted = random.chance(0.1) ? { parentId: random.hex(16) } : {};
  const { spanId, traceId, parentId, start, end } = span;
  const run = random.chance(0.8) ? span.run : random.pick([null, "r1"]);
  const text = `${COMMON_WORD} ${wordOf(span)} ${words(random)}`;
  return {
    ...other,
    spanId,
    traceId,
    parentId,
    start,
    end,
    run,
    inputs: text,
    ...moved,
    ...adopted,
  };
}

/** A third of all traces belong to a run, which their top or any other span may name, or several do. */
function runsOf(random: SeededRandom, spans: number): ReadonlyMap<number, string> {
  if (random.chance(0.65)) return new Map();
  return new Map(
    Array.from({ length: random.between(1, 2) }, () => [
      random.pick([0, random.between(0, spans - 1)]),
      random.pick(["r1", "r2"]),
    ]),
  );
}

function countOf(random: SeededRandom, size: TraceSize): number {
  switch (size) {
    case "small":
      return random.between(1, 12);
    case "segment":
      return random.chance(0.8) ? random.between(20, 170) : random.between(200, 700);
    case "heavy":
      return random.between(1, 4);
    case "wordy":
      return 1;
    case "large":
      return random.between(2_001, 2_400);
    case "threaded":
      return random.between(4_900, 5_200);
    case "huge":
      return random.between(150, 170);
  }
}

/** Gives one span a payload, so that all records together end near the limit of a segment. */
function paddedToSegment(random: SeededRandom, spans: readonly ModelSpan[]): ModelSpan[] {
  const bytes = spans.reduce((sum, span) => sum + recordBytes(span), 0);
  const glue = Math.round(spans.length * GLUE_BYTES * (random.next() * 2 - 0.5));
  const missing = SEGMENT_BYTES - glue - bytes;
  if (missing <= 0) return [...spans];
  const padded = random.between(0, spans.length - 1);
  return spans.map((span, n) => (n === padded ? { ...span, payload: "x".repeat(missing) } : span));
}

const NO_FIGURES = { usage: null, cost: null, unpricedCalls: 0 };

/** What the record of a span takes up to its total. */
function recordBytes(span: ModelSpan): number {
  const record = expectedRecord(span, "prj_12345678901234567890", NO_FIGURES);
  return Buffer.byteLength(JSON.stringify(record)) - '{"usage":null,"cost":null}}}'.length;
}

function sized(random: SeededRandom, size: TraceSize, span: ModelSpan): Partial<ModelSpan> {
  switch (size) {
    case "heavy":
      return {
        inputs: `${COMMON_WORD} ${wordOf(span)} ${longText(random, random.between(100_000, 200_000))}`,
      };
    case "huge":
      return { payload: longText(random, random.between(100_000, 130_000)) };
    case "wordy": {
      const many = Array.from({ length: random.between(15_900, 20_000) }, (_, n) => `many${n}`);
      return { inputs: `${COMMON_WORD} ${wordOf(span)} ${many.join(" ")} ${"l".repeat(400)}` };
    }
    default:
      return {};
  }
}

/** So many bytes or more: characters take one to four. */
function longText(random: SeededRandom, length: number): string {
  return random.pick(LONG_TEXTS).repeat(length);
}

/** Mostly a span before; sometimes none, one that never comes, or one after, which may be a cycle. */
function parentOf(random: SeededRandom, before: ModelSpan[]): string | null {
  const last = before.at(-1);
  if (last === undefined) return random.chance(0.1) ? random.hex(16) : null;
  const chance = random.next();
  if (chance < 0.01) return null;
  if (chance < 0.03) return random.hex(16);
  if (chance < 0.05) {
    const { spanId, parentId } = last;
    // The span before it hangs under the one that comes now.
    const looped = random.pick(before);
    before[before.indexOf(looped)] = { ...looped, parentId: spanId };
    return parentId;
  }
  return random.chance(0.5) ? last.spanId : random.pick(before).spanId;
}

function endOf(random: SeededRandom, { start }: ModelSpan): bigint | null {
  const chance = random.next();
  if (chance < 0.03) return null;
  if (chance < 0.05) return start - 1_000n;
  return start + BigInt(random.between(0, 400_000)) * 10_000n;
}

function bareSpan(random: SeededRandom, traceId: string): ModelSpan {
  return {
    traceId,
    spanId: random.hex(16),
    parentId: null,
    name: "step",
    start: 0n,
    end: null,
    status: "UNSET",
    kind: null,
    application: null,
    route: null,
    variant: null,
    revision: null,
    environment: null,
    userId: null,
    sessionId: null,
    run: null,
    inputs: null,
    outputs: null,
    figures: null,
    call: null,
    payload: null,
  };
}

function tellingSpan(random: SeededRandom, traceId: string): ModelSpan {
  const bare = bareSpan(random, traceId);
  const maybe = <Value>(values: readonly Value[]) =>
    random.chance(0.3) ? random.pick(values) : null;
  const hasVariant = random.chance(0.3);
  const figures = random.chance(0.4) ? randomFigures(random) : null;
  const call = figures?.role === "own" && random.chance(0.5) ? randomCall(random) : null;
  const text = `${COMMON_WORD} ${wordOf(bare)} ${words(random)}`;
  return {
    ...bare,
    name: `step ${random.pick(WORDS)}`,
    status: random.pick(["UNSET", "UNSET", "OK", "ERROR"]),
    kind: kindOf(random, figures, call),
    application: maybe(["shop", "Zoë", "billing", "a"]),
    route: maybe(["/", "/summarise", "/Ask"]),
    variant: hasVariant
      ? { id: random.pick(["v1", "v2"]), name: maybe(["default", "bold"]) }
      : null,
    revision: hasVariant ? random.between(1, 3) : null,
    environment: maybe(["production", "staging"]),
    userId: maybe(["u1", "u2", "u3"]),
    sessionId: maybe(["s1", "s2"]),
    inputs: random.chance(0.5)
      ? text
      : { text, list: [random.between(1, 9), null, { deep: true }], history: repeated(random) },
    outputs: random.pick([null, `answer ${words(random)}`, random.pick(REPEATED)]),
    figures,
    call,
  };
}

function kindOf(
  random: SeededRandom,
  figures: ModelFigures | null,
  call: ModelSpan["call"],
): ModelSpan["kind"] {
  if (figures?.role === "restated") return "AGENT";
  // Of another kind than a model call, the id says nothing.
  if (call !== null && random.chance(0.9)) return "LLM";
  return random.pick([null, "LLM", "TOOL", "WORKFLOW"]);
}

/** Few enough that spans of a trace often report the same one. */
function randomCall(random: SeededRandom): NonNullable<ModelSpan["call"]> {
  return {
    provider: random.pick(["anthropic", "anthropic", "OpenAI"]),
    responseId: random.pick(["msg_01AbCdEfGhIj", "msg_02AbCdEfGhIj"]),
  };
}

function randomFigures(random: SeededRandom): ModelFigures {
  return {
    role: random.pick(["own", "own", "restated"]),
    input: random.pick([0, 1, 7, 4_096]),
    output: random.pick([0, 5]),
    cost: random.chance(0.6) ? random.between(0, 2_000) / 1_000 : null,
  };
}

function repeated(random: SeededRandom): string[] {
  return REPEATED.slice(0, random.between(0, REPEATED.length));
}

function words(random: SeededRandom): string {
  return Array.from({ length: random.between(0, 5) }, () => random.pick(WORDS)).join(" ");
}
