import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { StoredSpan } from "@agate/spans";
import { parseSearch, searchableTexts } from "@agate/spans/search";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { ListVerb } from "../contract/listed-pages.fixture.ts";
import { listedPages } from "../contract/listed-pages.fixture.ts";
import { spanIdOf, storedSpan, traceIdOf } from "../contract/stored-span.fixture.ts";
import { wordsText } from "../search/words-text.ts";
import type { SpanFilter } from "../span-query.ts";
import type { SpanStore } from "../span-store.ts";
import { toLoggedRow } from "../to-logged-row.ts";
import { filesIn } from "./data-directory.ts";
import { openSqliteStore } from "./sqlite-store.ts";

// The index knows which words a trace has. Which of them follow each other is found in its records.

let directory = "";
let store: SpanStore;
let damaged: string[] = [];
const open = async (quietMs = 60_000) => {
  store = await openSqliteStore({
    directory,
    quietMs,
    onTrouble: ({ error }) => damaged.push(String(error)),
  });
};
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "agate-phrases-"));
  await open();
});
afterAll(async () => {
  await store.close();
  await rm(directory, { recursive: true });
});

async function append(project: string, spans: readonly StoredSpan[]): Promise<void> {
  expect(await store.append({ project, receivedAt: 1, spans })).toEqual({ kind: "committed" });
}

async function pagesOf(
  verb: ListVerb,
  project: string,
  filter: SpanFilter,
  limit: number,
): Promise<string[][]> {
  await store.searchCaughtUp();
  return listedPages(store, verb, { project, filter, limit });
}

async function countOf(project: string, filter: SpanFilter): Promise<number> {
  const { total } = await store.analytics({
    project,
    filter,
    from: 0,
    to: Number.MAX_SAFE_INTEGER - 1,
    interval: Number.MAX_SAFE_INTEGER - 1,
    groups: null,
  });
  return total.count;
}

const TRACES = 12;
const WORDS = ["red", "fox", "Red", "foxes", "b-c", "東", "京都", "é"];
const words = fc.array(fc.constantFrom(...WORDS), { maxLength: 4 });
const text = words.map((each) => each.join(" "));
const call = fc.record({
  trace: fc.nat(TRACES - 1),
  span: fc.nat(2),
  inputs: fc.oneof(text, fc.array(text, { maxLength: 3 })),
  logged: fc.option(text, { freq: 4 }),
});
const search = fc
  .array(
    fc.oneof(
      text.map((each) => `"${each}"`),
      words.map((each) => each.join("-")),
      words.map((each) => `${each.join("")}*`),
    ),
    { minLength: 1, maxLength: 2 },
  )
  .map((terms) => terms.join(" "));

it.each([1, 60_000])(
  "finds what the present records say of traces that are packed after %i ms",
  async (quietMs) => {
    await store.close();
    await open(quietMs);
    let n = 0;
    const property = fc.asyncProperty(
      fc.array(fc.array(call, { maxLength: 8 }), { minLength: 1, maxLength: 4 }),
      fc.array(search, { minLength: 4, maxLength: 4 }),
      async (batches, searches) => {
        const project = `random-${quietMs}-${n++}`;
        // A span has what it was sent with last, or else what was logged for it first.
        const sent = new Map<string, unknown>();
        const logged = new Map<string, string>();
        for (const batch of batches) {
          const calls = [...new Map(batch.map((each) => [keyOf(each), each])).values()];
          for (const each of calls)
            sent.set(keyOf(each), each.logged === null ? each.inputs : null);
          await append(
            project,
            calls.map((each) =>
              storedSpan({ ...placeOf(each), name: "call", inputs: sent.get(keyOf(each)) }),
            ),
          );
          for (const each of calls) {
            if (each.logged === null || logged.has(keyOf(each))) continue;
            logged.set(keyOf(each), each.logged);
            await log(project, each, each.logged);
          }
        }
        const texts = [...sent].map(([key, own]): [string, string] => {
          const content = [own ?? logged.get(key) ?? null];
          return [key, wordsText(searchableTexts({ name: "call", content }))];
        });
        for (const text of searches) {
          const terms = parseSearch(text).map(
            ({ words: wanted, isPrefix }) => ` ${wanted.join(" ")}${isPrefix ? "" : " "}`,
          );
          const says = (said: readonly string[]) =>
            terms.length > 0 && terms.every((term) => said.some((each) => each.includes(term)));
          const spans = texts.filter(([, said]) => says([said])).map(([key]) => key.split(" ")[1]);
          const byTrace = Map.groupBy(texts, ([key]) => key.split(" ")[0]);
          const traces = [...byTrace]
            .filter(([, own]) => says(own.map(([, said]) => said)))
            .map(([id]) => id);
          const found = async (verb: ListVerb) =>
            (await pagesOf(verb, project, { text }, 3)).flat().sort();
          expect(await found("listTraces"), text).toEqual(traces.sort());
          expect(await found("listSpans"), text).toEqual(spans.sort());
          expect(await countOf(project, { text }), text).toBe(traces.length);
        }
      },
    );
    await fc.assert(property, { numRuns: 40, seed: 50 });
  },
  120_000,
);

interface Call {
  readonly trace: number;
  readonly span: number;
}

function placeOf({ trace, span }: Call) {
  return { traceId: traceIdOf(trace + 1), id: spanIdOf(10 * trace + span + 1), start: span };
}

function keyOf(call: Call): string {
  const { traceId, id } = placeOf(call);
  return `${traceId} ${id}`;
}

async function log(project: string, call: Call, inputs: string): Promise<void> {
  const content = { inputs: JSON.stringify(inputs), outputs: null, asked: [], answered: [] };
  const { traceId, id: spanId } = placeOf(call);
  const row = toLoggedRow(content, { project, traceId, spanId, loggedAt: 1, receivedAt: 1 });
  if (row === undefined) throw new Error("too long");
  await store.putScores({ project, scores: [row] });
}

it("does not find what a span said that was replaced, while its record is still stored", async () => {
  const project = "replaced";
  const phrase = { text: '"red fox"' };
  const sent = (inputs: string) => storedSpan({ id: spanIdOf(1), inputs });
  await append(project, [sent("red fox"), storedSpan({ id: spanIdOf(2), inputs: "kept" })]);
  expect(await pagesOf("listTraces", project, phrase, 10)).toEqual([[traceIdOf(1)]]);
  await append(project, [sent("fox red")]);
  expect(await pagesOf("listTraces", project, phrase, 10)).toEqual([[]]);
  expect(await countOf(project, phrase)).toBe(0);
  expect(await pagesOf("listTraces", project, { text: '"fox red" kept' }, 10)).toEqual([
    [traceIdOf(1)],
  ]);
});

/** Traces that are read for one page. */
const MOST_READ = 1_000;

it.each([
  [MOST_READ, [["1", "0"]]],
  [MOST_READ + 1, [["1"], ["0"]]],
])(
  "reads %i traces that have the words of a phrase, in as many pages as it takes",
  async (count, wanted) => {
    const project = `pages-${count}`;
    // Newest first: the words follow each other in the last two alone.
    const spans = Array.from({ length: count }, (_, n) =>
      storedSpan({
        traceId: traceIdOf(n),
        id: spanIdOf(n),
        start: n,
        name: n < 2 ? "red fox" : "fox red",
        environment: n === 1 ? "production" : null,
      }),
    );
    await append(project, spans);
    const pages = await pagesOf("listTraces", project, { text: '"red fox"' }, 10);
    expect(pages).toEqual(wanted.map((page) => page.map((n) => traceIdOf(Number(n)))));
    expect(await countOf(project, { text: '"red fox"' })).toBe(2);
    // The other conditions are asked first.
    const few = { text: '"red fox"', environment: "production" };
    expect(await pagesOf("listTraces", project, few, 10)).toEqual([[traceIdOf(1)]]);
    expect(await store.earliestStart({ project, filter: few })).toBe(
      storedSpan({ start: 1 }).start,
    );
  },
  60_000,
);

it("counts traces in which a mark joins the words, and those in which nothing does", async () => {
  const project = "joined";
  const names = ["red-fox", "red fox", "fox red", "Red_Fox", "red-fox-cub", "fox-red red", "cub"];
  await append(
    project,
    names.map((name, n) => storedSpan({ traceId: traceIdOf(n), id: spanIdOf(n), start: n, name })),
  );
  expect(await pagesOf("listTraces", project, { text: "red-fox" }, 10)).toEqual([
    [4, 3, 1, 0].map(traceIdOf),
  ]);
  expect(await countOf(project, { text: "red-fox" })).toBe(4);
  expect(await countOf(project, { text: 'red-fox "fox cub"' })).toBe(1);
  expect(await countOf(project, { text: "red-fox-cub" })).toBe(1);
  expect(await countOf(project, { text: "fox-red red-fox" })).toBe(0);
});

it("leaves out a damaged trace, and reports it", async () => {
  const project = "damaged";
  const spans = [1, 2, 3].map((n) =>
    storedSpan({ traceId: traceIdOf(n), id: spanIdOf(n), start: n, name: "red fox" }),
  );
  for (const span of spans) await append(project, [span]);
  await store.searchCaughtUp();
  await store.close();
  {
    using db = new DatabaseSync(filesIn(directory).spans);
    db.exec(`UPDATE segments SET body = x'5b' WHERE segment >> 20 = (
      SELECT trace_no FROM traces WHERE project = '${project}' AND trace_id = '${traceIdOf(2)}')`);
  }
  await open();
  damaged = [];
  const found = await pagesOf("listTraces", project, { text: '"red fox"' }, 10);
  expect(found).toEqual([[traceIdOf(3), traceIdOf(1)]]);
  expect(damaged).toEqual([expect.stringContaining(traceIdOf(2))]);
  expect(await countOf(project, { text: '"red fox"' })).toBe(2);
  expect(await countOf(project, { text: "red fox" })).toBe(3);
});
