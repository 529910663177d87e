import type { StoredSpan } from "@agate/spans";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { listedPages } from "../contract/listed-pages.fixture.ts";
import { spanIdOf, storedSpan, traceIdOf } from "../contract/stored-span.fixture.ts";
import type { SpanStore } from "../span-store.ts";
import { openChdbEngine } from "../testing/chdb-engine.fixture.ts";
import { openClickHouseStore } from "./clickhouse-store.ts";

// Finds the same traces as a look at all of them, by words that few traces have, many, and nearly all.

/** With more, the traces of a word are not known by their ids. */
const FEW_TRACES = 2_000;
/** About so many traces are asked for common words one by one. */
const TRACES_ASKED = 600;
/** Words of a search that are looked up by themselves. */
const TERMS_LOOKED_UP = 4;
const TRACES = 3_000;
const PER_BATCH = 500;
const project = "default";

/** Which traces have a word, by their number. The highest is the newest. */
const WORDS: Record<string, (n: number) => boolean> = {
  all: () => true,
  nearly: (n) => n % 13 !== 0,
  few: (n) => n < FEW_TRACES,
  many: (n) => n <= FEW_TRACES,
  early: (n) => n < TRACES - 2 * TRACES_ASKED + FEW_TRACES / 2 && n % 5 !== 0,
  seldom: (n) => n % 400 === 7,
  late: (n) => n > TRACES - TRACES_ASKED,
  once: (n) => n === 11,
  never: () => false,
  replaced: (n) => n % 4 !== 1,
};

const engine = openChdbEngine();
let store: SpanStore;
beforeAll(async () => {
  store = await openClickHouseStore({ address: engine.address(), connect: engine.connect });
  for (let first = 0; first < TRACES; first += PER_BATCH) {
    const numbers = Array.from({ length: PER_BATCH }, (_, n) => first + n);
    await append(numbers.flatMap((n) => traceOf(n)));
    // Words of an earlier write count no more.
    await append(numbers.flatMap((n) => (WORDS.replaced!(n) ? [] : traceOf(n).slice(1))));
  }
}, 300_000);
afterAll(async () => {
  await store?.close();
  await engine.dispose();
});

async function append(spans: readonly StoredSpan[]): Promise<void> {
  expect(await store.append({ project, receivedAt: 1, spans })).toEqual({ kind: "committed" });
}

const replacedAtFirst = new Set<number>();

/** The top has every second word, the span below the others. */
function traceOf(n: number): StoredSpan[] {
  const isFirst = !replacedAtFirst.has(n);
  replacedAtFirst.add(n);
  const words = Object.keys(WORDS).filter(
    (word) => WORDS[word]!(n) || (word === "replaced" && isFirst),
  );
  const half = (parity: number) =>
    Object.keys(WORDS)
      .filter((word, at) => at % 2 === parity && words.includes(word))
      .join(" ");
  const traceId = traceIdOf((n * 7_919) % 100_003);
  const top = storedSpan({
    traceId,
    id: spanIdOf(2 * n),
    start: startOf(n),
    name: n % 3 === 0 ? "third" : "other",
    inputs: half(0),
  });
  const child = storedSpan({
    traceId,
    id: spanIdOf(2 * n + 1),
    parentId: top.id,
    // The clocks of two machines: a span may start before, or long after, what is above it.
    start: startOf(n) + ((n * 37) % 5_000) - 2_500,
    outputs: half(1),
  });
  return [top, child];
}

/** Some start together. */
function startOf(n: number): number {
  return 10_000 + 10 * (n - (n % 2));
}

async function found(
  text: string,
  name: string | undefined,
  limit: number,
  pages: number,
): Promise<string[]> {
  const filter = name === undefined ? { text } : { text, name };
  return (await listedPages(store, "listTraces", { project, filter, limit }, pages)).flat();
}

function expected(words: readonly string[], name: string | undefined): string[] {
  const numbers = Array.from({ length: TRACES }, (_, n) => n).filter(
    (n) =>
      words.every((word) => WORDS[word]!(n)) &&
      (name === undefined || name === (n % 3 === 0 ? "third" : "other")),
  );
  const idOf = (n: number) => traceOf(n)[0]!.traceId;
  return numbers
    .toSorted((a, b) => startOf(b) - startOf(a) || (idOf(a) < idOf(b) ? 1 : -1))
    .map(idOf);
}

it.each(Object.keys(WORDS))(
  "finds all traces with %s, and with another word",
  async (word) => {
    expect(await found(word, undefined, 1_000, 10)).toEqual(expected([word], undefined));
    expect(await found(`${word} nearly`, undefined, 50, 3)).toEqual(
      expected([word, "nearly"], undefined).slice(0, 150),
    );
  },
  120_000,
);

it("finds traces by any words, page by page", async () => {
  const property = fc.asyncProperty(
    fc.uniqueArray(fc.constantFrom(...Object.keys(WORDS)), { minLength: 1, maxLength: 3 }),
    fc.option(fc.constantFrom("third", "other", "none"), { nil: undefined }),
    fc.constantFrom(7, 50, 400),
    fc.boolean(),
    async (words, name, limit, isPrefix) => {
      const text = words.map((word) => (isPrefix ? `${word.slice(0, -1)}*` : word)).join(" ");
      const all = expected(words, name);
      expect(await found(text, name, limit, 4)).toEqual(all.slice(0, 4 * limit));
    },
  );
  await fc.assert(property, { numRuns: 25 });
}, 300_000);

/** Beside the store, another connection that is told of each statement before it is run. */
async function openWatched(onQuery: (query: string) => Promise<void>): Promise<SpanStore> {
  const connect = () => {
    const client = engine.connect();
    return new Proxy(client, {
      get(target, name) {
        const value = Reflect.get(target, name);
        if (typeof value !== "function") return value;
        if (name !== "query") return value.bind(target);
        return async (params: { query: string }) => {
          await onQuery(params.query);
          return target.query(params);
        };
      },
    });
  };
  return openClickHouseStore({ address: engine.address(), connect });
}

it("goes on with a list whose traces are deleted between two statements", async () => {
  const raced = "raced";
  const ids = Array.from({ length: 120 }, (_, n) => traceIdOf(1_000_000 + n));
  const write = async (numbers: readonly number[], inputs: string) => {
    const spans = numbers.map((n) =>
      storedSpan({ traceId: ids[n]!, id: spanIdOf(1_000_000 + n), start: n, inputs }),
    );
    expect(await store.append({ project: raced, receivedAt: 1, spans })).toEqual({
      kind: "committed",
    });
  };
  const all = ids.map((_, n) => n);
  await write(all, "vanishing");
  // The index still has these for the word, so that half of the traces that are asked have it.
  await write(
    all.filter((n) => n % 2 === 0),
    "other",
  );
  const listed = ids.filter((_, n) => n % 2 === 1).toReversed();
  const deleted = listed.slice(3, 16);
  let isDeleted = false;
  const watched = await openWatched(async (query) => {
    if (isDeleted || !query.includes("{found:Array(String)}")) return;
    isDeleted = true;
    for (const traceId of deleted) await store.deleteTrace(raced, traceId);
  });
  const request = { project: raced, filter: { text: "vanishing" }, limit: 20 };
  const shown = (await listedPages(watched, "listTraces", request)).flat();
  await watched.close();
  expect(isDeleted).toBe(true);
  expect(shown).toEqual(listed.filter((traceId) => !deleted.includes(traceId)));
}, 60_000);

it.each([4, 5, 200])("finds traces by %i words, few of which are looked up", async (count) => {
  const words = Array.from({ length: count }, (_, n) => `word${"x".repeat(n % 7)}${n}`);
  const wordy = `wordy-${count}`;
  const spans = [
    storedSpan({ traceId: traceIdOf(1), id: spanIdOf(1), inputs: words.join(" ") }),
    storedSpan({ traceId: traceIdOf(2), id: spanIdOf(2), inputs: words.slice(1).join(" ") }),
  ];
  expect(await store.append({ project: wordy, receivedAt: 1, spans })).toEqual({
    kind: "committed",
  });
  const lookedUp: string[] = [];
  const watched = await openWatched(async (query) => {
    if (query.includes("SELECT DISTINCT trace_id")) lookedUp.push(query);
  });
  const request = { project: wordy, filter: { text: words.join(" ") }, limit: 50 };
  expect((await listedPages(watched, "listTraces", request)).flat()).toEqual([traceIdOf(1)]);
  await watched.close();
  expect(lookedUp).toHaveLength(TERMS_LOOKED_UP);
});
