import type { ListContent } from "@agate/protocol";
import { ANALYTICS_GROUPINGS, LIST_CONTENTS, SPAN_KINDS, SPAN_STATUSES } from "@agate/protocol";
import type { StoredSpan } from "@agate/spans";
import fc from "fast-check";
import { storedScore } from "../contract/stored-score.fixture.ts";
import type { SpanSketch } from "../contract/stored-span.fixture.ts";
import { spanIdOf, storedSpan, traceIdOf } from "../contract/stored-span.fixture.ts";
import type { ScoreCondition, StoredScore } from "../score-store.ts";
import { SCORE_OPERATORS } from "../score-store.ts";
import type { AnalyticsRequest, SpanFilter } from "../span-query.ts";

/** Which of the run's projects; each run has some of its own. */
export type ProjectNumber = 0 | 1;

export interface BatchSketch {
  readonly project: ProjectNumber;
  readonly receivedAt: number;
  readonly spans: readonly StoredSpan[];
}

export interface ScoreSketch {
  readonly project: ProjectNumber;
  readonly scores: readonly StoredScore[];
}

/** What is asked by: values of a span that was written, or nearly those. */
export interface FilterSketch {
  readonly span: number;
  readonly fields: readonly (keyof Omit<SpanFilter, "traceIds" | "score">)[];
  readonly tweak: "exact" | "longer" | "empty";
  readonly text: string | "name" | "phrase" | "prefix";
  readonly score: ScoreCondition | null;
}

export interface ListSketch {
  readonly project: ProjectNumber;
  readonly verb: "listTraces" | "listSpans";
  readonly filter: FilterSketch;
  readonly limit: number;
  readonly content: ListContent;
  readonly maxBytes: number;
}

export interface AnalyticsSketch {
  readonly project: ProjectNumber;
  readonly span: number;
  readonly filter: FilterSketch;
  readonly interval: number;
  readonly before: number;
  readonly after: number;
  readonly groups: AnalyticsRequest["groups"];
}

export type Step =
  /** All at once: none waits for the one before. */
  | { readonly kind: "append"; readonly batches: readonly BatchSketch[] }
  | { readonly kind: "append-again"; readonly batch: number }
  | { readonly kind: "score"; readonly batch: ScoreSketch }
  | { readonly kind: "delete"; readonly project: ProjectNumber; readonly trace: number }
  | { readonly kind: "expire"; readonly before: number }
  | { readonly kind: "reopen" }
  /** Page by page, with a batch between two pages while there are any. */
  | {
      readonly kind: "list";
      readonly list: ListSketch;
      readonly between: readonly BatchSketch[];
    }
  | { readonly kind: "analytics"; readonly analytics: AnalyticsSketch };

const TRACES = 4;
const SPANS = 8;

const EPOCH = storedSpan().start;
const DAY = 86_400_000_000;
const YEAR_2200 = Date.UTC(2200, 0) * 1000;

const WORDS = [
  "refund",
  "Crème brûlée",
  "7-42",
  "東京タワー",
  "don't",
  "a_b",
  "🤖 ok",
  "e\u0301a",
  "İx",
];

/** Any text, and often one that others have as well. */
function text(): fc.Arbitrary<string> {
  return fc.oneof(
    {
      weight: 6,
      arbitrary: fc.constantFrom("a", "A", "b", "", " ", "a ", "é", "e\u0301", ...WORDS),
    },
    {
      weight: 3,
      arbitrary: fc.constantFrom(
        "\0",
        "a\0b",
        "\u0001",
        "\u00010",
        "%",
        "_",
        "\\",
        "\\N",
        "'",
        '"',
        "\t\n",
        "\u2028",
        "\ufffd",
        "\ufeff",
      ),
    },
    { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 12 }) },
    { weight: 1, arbitrary: fc.constantFrom("\ud800", "a\udc00b") },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 2 ** 31 }).map(longText) },
  );
}

/** 5,000 characters that do not compress: an index may have no room for them. */
function longText(seed: number): string {
  let state = seed;
  return Array.from({ length: 5_000 }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return String.fromCharCode(0x21 + ((state >>> 16) % 5_000));
  }).join("");
}

const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { freq: 2, nil: null });

function number(): fc.Arbitrary<number | null> {
  return fc.option(
    fc.oneof(
      fc.constantFrom(0, 0.1, 0.2, 0.001, 1, 250, 1e-12, 1e15, 123_456.789),
      fc.nat(1e9).map((millionths) => millionths / 1e6),
      fc.double({ min: 0, max: 1e6, noNaN: true }),
    ),
    { nil: null },
  );
}

function span(): fc.Arbitrary<StoredSpan> {
  const tokens = fc.option(fc.constantFrom(0, 1, 7, 2 ** 40), { nil: null });
  const figures = fc.record({
    role: fc.constantFrom("own" as const, "restated" as const),
    usage: fc.option(
      fc.record({
        input_tokens: tokens,
        output_tokens: tokens,
        total_tokens: tokens,
        cached_input_tokens: tokens,
        reasoning_tokens: tokens,
      }),
      { nil: null },
    ),
    cost: number(),
    call: fc.option(
      fc.record({
        key: fc.constantFrom("x", "openai y"),
        isCostSent: fc.boolean(),
        during: fc.constantFrom(undefined, [0, 3] as const, [2, 5] as const, [5, 6] as const),
      }),
      { nil: undefined },
    ),
  });
  const required = {
    traceId: fc.nat(TRACES - 1).map(traceIdOf),
    id: fc.nat(SPANS - 1).map(spanIdOf),
    parentId: maybe(fc.nat(SPANS + 1).map(spanIdOf)),
    start: fc.oneof(
      { weight: 6, arbitrary: fc.nat(9) },
      {
        weight: 2,
        arbitrary: fc.constantFrom(DAY, -DAY, -EPOCH, 5 - EPOCH, -5 - EPOCH, YEAR_2200 - EPOCH),
      },
    ),
  };
  const optional = {
    startNanos: fc.constantFrom(0, 1, 999),
    name: text(),
    kind: fc.constantFrom(...SPAN_KINDS),
    status: fc.constantFrom(...SPAN_STATUSES),
    latency: number(),
    figures: maybe(figures),
    application: maybe(text()),
    route: maybe(text()),
    variant: maybe(text()),
    revision: maybe(fc.constantFrom(0, 1, 2, 2 ** 31, 2 ** 52, -1)),
    environment: maybe(text()),
    userId: maybe(text()),
    sessionId: maybe(text()),
    run: maybe(fc.constantFrom("r1", "r2", "r é")),
    inputs: fc.oneof(
      text(),
      fc.array(fc.constantFrom(...WORDS), { maxLength: 4 }),
      fc.jsonValue(),
      // Around the length from which lists have a preview.
      fc.integer({ min: 295, max: 305 }).map((length) => `${"é".repeat(length - 2)}\u{1F48E}`),
      fc.array(text(), { minLength: 80, maxLength: 120 }),
    ),
  };
  return fc
    .record({ ...required, ...optional }, { requiredKeys: ["traceId", "id", "parentId", "start"] })
    .map((sketch) => storedSpan(sketch as SpanSketch));
}

const project = () => fc.constantFrom<ProjectNumber>(0, 0, 0, 1);

function batch(): fc.Arbitrary<BatchSketch> {
  return fc.record({
    project: project(),
    receivedAt: fc.constantFrom(1_000_000, 2_000_000, 2_000_001, 3_000_000, 2 * DAY, EPOCH),
    spans: fc.array(span(), { minLength: 1, maxLength: 6 }),
  });
}

const scoreName = () => fc.constantFrom("helpful", "safe");

const scoreValue = () => fc.constantFrom(0, 0.1, 0.25, 1, -7);

/** Of spans and traces that are there, or will be, or never. */
function score(): fc.Arbitrary<StoredScore> {
  return fc
    .record({
      traceId: fc.nat(TRACES).map(traceIdOf),
      spanId: maybe(fc.nat(SPANS).map(spanIdOf)),
      name: scoreName(),
      value: maybe(scoreValue()),
      label: maybe(text().map((label) => label.toWellFormed())),
      status: fc.constantFrom("ok" as const, "ok" as const, "skipped" as const, "failed" as const),
      createdAt: fc.nat(3),
      receivedAt: fc.constantFrom(1_000_000, 2_000_000, 2_000_001, 2 * DAY),
      explanation: fc.constantFrom("", "because", "x".repeat(900)),
    })
    .map((sketch) =>
      storedScore({ ...sketch, value: sketch.status === "ok" ? sketch.value : null }),
    );
}

function scoreCondition(): fc.Arbitrary<ScoreCondition> {
  return fc.record({
    name: scoreName(),
    test: fc.oneof(
      fc.constantFrom("any" as const, "none" as const, "skipped" as const, "failed" as const),
      fc.record({ operator: fc.constantFrom(...SCORE_OPERATORS), value: scoreValue() }),
    ),
  });
}

const FIELDS: readonly FilterSketch["fields"][number][] = [
  "application",
  "route",
  "variant",
  "revision",
  "environment",
  "status",
  "spankind",
  "name",
  "userId",
  "sessionId",
  "run",
  "traffic",
  "anyError",
  "startedFrom",
  "startedBefore",
  "minLatency",
  "minCost",
  "text",
];

function filter(): fc.Arbitrary<FilterSketch> {
  return fc.record({
    span: fc.nat(30),
    fields: fc.uniqueArray(fc.constantFrom(...FIELDS), { maxLength: 3 }),
    tweak: fc.constantFrom("exact", "exact", "exact", "longer", "empty"),
    text: fc.oneof(
      fc.constantFrom("name", "phrase", "prefix"),
      fc.constantFrom(
        ...WORDS,
        "REFUND",
        '"creme brulee"',
        "ref*",
        "京",
        "42",
        "7*",
        "don*",
        '"a b"',
        "東*",
        "*",
        '"',
      ),
      text(),
    ),
    score: fc.option(scoreCondition(), { freq: 3, nil: null }),
  });
}

function step(): fc.Arbitrary<Step> {
  const list = fc.record({
    project: project(),
    verb: fc.constantFrom("listTraces", "listSpans"),
    filter: filter(),
    limit: fc.constantFrom(1, 1, 2, 3, 100),
    content: fc.constantFrom(...LIST_CONTENTS),
    // A listed record has about 700 bytes: less than one, one or two, a few, all.
    maxBytes: fc.constantFrom(1, 1_000, 2_000, 5_000, 1_000_000),
  });
  const analytics = fc.record({
    project: project(),
    span: fc.nat(30),
    filter: filter(),
    interval: fc.constantFrom(1, 3, 1_000, 3_600_000_000, DAY),
    before: fc.nat(3),
    after: fc.integer({ min: 1, max: 5 }),
    groups: fc.option(
      fc.record({
        by: fc.constantFrom(...ANALYTICS_GROUPINGS),
        limit: fc.constantFrom(1, 2, 50),
      }),
      { nil: null },
    ),
  });
  const kind = <Kind extends Step["kind"]>(name: Kind) => fc.constant(name);
  return fc.oneof(
    {
      weight: 40,
      arbitrary: fc.record({
        kind: kind("append"),
        batches: fc.array(batch(), { minLength: 1, maxLength: 3 }),
      }),
    },
    { weight: 5, arbitrary: fc.record({ kind: kind("append-again"), batch: fc.nat(10) }) },
    {
      weight: 25,
      arbitrary: fc.record({
        kind: kind("score"),
        batch: fc.record({
          project: project(),
          scores: fc.array(score(), { minLength: 1, maxLength: 8 }),
        }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ kind: kind("delete"), project: project(), trace: fc.nat(TRACES - 1) }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: kind("expire"),
        before: fc.constantFrom(1_000_001, 2_000_001, DAY),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: kind("reopen") }) },
    {
      weight: 50,
      arbitrary: fc.record({
        kind: kind("list"),
        list,
        between: fc.array(batch(), { maxLength: 2 }),
      }),
    },
    { weight: 40, arbitrary: fc.record({ kind: kind("analytics"), analytics }) },
  ) as fc.Arbitrary<Step>;
}

/** What happens to stores, and what is asked between. */
export function history(): fc.Arbitrary<readonly Step[]> {
  return fc.array(step(), { minLength: 2, maxLength: 20 });
}
