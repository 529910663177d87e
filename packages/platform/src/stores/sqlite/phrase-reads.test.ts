import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { storedScore } from "../contract/stored-score.fixture.ts";
import { spanIdOf, storedSpan, traceIdOf } from "../contract/stored-span.fixture.ts";
import type { SpanFilter } from "../span-query.ts";
import { countReads } from "./phrase-reads.fixture.ts";
import { interruptMemory } from "./query-interrupt.ts";
import { QueryRunner } from "./query-runner.ts";
import { openSqliteStore } from "./sqlite-store.ts";

// Whether a trace has a phrase is found in its records, which are to be read of few traces.

const TRACES = 60;
const PROJECT = "default";
const FAILED = 3;
const base = storedSpan().start;

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "agate-phrase-reads-"));
  const store = await openSqliteStore({ directory });
  const spans = Array.from({ length: TRACES }, (_, n) =>
    storedSpan({
      traceId: traceIdOf(n),
      id: spanIdOf(n),
      start: n,
      name: n % 2 === 0 ? "red fox" : "fox red",
      inputs: n < FAILED ? "seldom" : null,
      status: n < FAILED ? "ERROR" : "OK",
      environment: n < FAILED ? "staging" : "production",
    }),
  );
  await store.append({ project: PROJECT, receivedAt: 1, spans });
  const scores = spans.map(({ traceId }) => storedScore({ traceId, name: "good" }));
  const bad = scores.slice(0, FAILED).map(({ traceId }) => storedScore({ traceId, name: "bad" }));
  await store.putScores({ project: PROJECT, scores: [...scores, ...bad] });
  await store.searchCaughtUp();
  await store.close();
});
afterAll(async () => {
  await rm(directory, { recursive: true });
});

const PHRASE = { text: '"red fox"' };
const ALL = { from: base, to: base + TRACES };
const queries: [string, SpanFilter, { from: number; to: number }, wanted: number, found: number][] =
  [
    ["in a range of time", PHRASE, { from: base + 20, to: base + 30 }, 10, 5],
    ["of a status", { ...PHRASE, status: "ERROR" }, ALL, FAILED, 2],
    ["with an error", { ...PHRASE, anyError: true }, ALL, FAILED, 2],
    ["of an environment", { ...PHRASE, environment: "staging" }, ALL, FAILED, 2],
    ["of a name", { ...PHRASE, name: "red fox" }, ALL, TRACES / 2, TRACES / 2],
    ["with a score", { ...PHRASE, score: { name: "bad", test: "any" } }, ALL, FAILED, 2],
    ["without a score", { ...PHRASE, score: { name: "good", test: "none" } }, ALL, 0, 0],
    ["with a word", { text: '"red fox" seldom' }, ALL, FAILED, 2],
    ["of words that no mark joins", { text: "red-fox" }, ALL, TRACES, TRACES / 2],
  ];

describe.each([
  ["few", TRACES],
  ["many", TRACES - 1],
])("where %s traces have the words of a phrase", (_, rareMatches) => {
  it.each(queries)("analytics read only those %s", (_, filter, range, wanted, found) => {
    const request = { project: PROJECT, filter, ...range, interval: TRACES, groups: null };
    let count = -1;
    const reads = countReads(directory, rareMatches, (runner) => {
      count = runner.analytics(0, request).total.count;
    });
    expect([reads, count]).toEqual([wanted, found]);
  });

  it.each(queries)("figures of scores read only those %s", (_, filter, range, wanted, found) => {
    const request = { project: PROJECT, filter, ...range, interval: TRACES, groups: null };
    let count = -1;
    const reads = countReads(directory, rareMatches, (runner) => {
      count = runner.scoreFigures(0, request).names[0]?.count ?? 0;
    });
    expect([reads, count]).toEqual([wanted, found]);
  });
});

it("forgets which traces have the phrase when analytics are done", () => {
  const register = vi.spyOn(DatabaseSync.prototype, "function");
  const runner = new QueryRunner(directory, interruptMemory());
  const registered = register.mock.calls.find(([name]) => name === "has_phrase");
  register.mockRestore();
  const hasPhrase = registered?.at(-1) as (traceNo: number, phrase: number) => 0 | 1;
  try {
    const request = { project: PROJECT, filter: PHRASE, ...ALL, interval: TRACES, groups: null };
    expect(runner.analytics(0, request).total.count).toBe(TRACES / 2);
    // The first trace has the first phrase of the query.
    expect(hasPhrase(1, 0)).toBe(0);
  } finally {
    runner.close();
  }
});
