import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { spanIdOf, storedSpan, traceIdOf } from "../contract/stored-span.fixture.ts";
import type { SpanStore } from "../span-store.ts";
import { openSqliteStore } from "./sqlite-store.ts";

/** Longer names are not looked up by their words. */
const LONGEST_NAME = 200;
const NAMES = [
  "answer",
  "answer question",
  "question answer",
  "Answer",
  "a-b",
  'the "best"',
  "it's",
  "Crème brûlée",
  "東京タワー",
  "+++",
  "",
  "nul\0nul",
  "x".repeat(LONGEST_NAME),
  "x".repeat(LONGEST_NAME + 1),
];

const directory = mkdtempSync(join(tmpdir(), "agate-names-"));
let store: SpanStore;
beforeAll(async () => {
  store = await openSqliteStore({ directory });
});
afterAll(async () => {
  await store.close();
  await rm(directory, { recursive: true });
});

interface Sent {
  readonly trace: number;
  readonly span: number;
  readonly name: string;
}

const sent: fc.Arbitrary<Sent> = fc.record({
  trace: fc.nat(5),
  span: fc.nat(8),
  name: fc.constantFrom(...NAMES),
});
const batch = fc.record({
  isIndexed: fc.boolean(),
  spans: fc.uniqueArray(sent, {
    minLength: 1,
    maxLength: 12,
    selector: ({ trace, span }) => `${trace} ${span}`,
  }),
});

let projects = 0;

it("finds spans and traces by name, whether or not their words are indexed yet", async () => {
  const property = fc.asyncProperty(fc.array(batch, { maxLength: 8 }), async (batches) => {
    const project = `project-${++projects}`;
    const names = new Map<string, string>();
    for (const { isIndexed, spans } of batches) {
      // The top of a trace is its first span.
      const rows = spans.map(({ trace, span, name }) => {
        const parentId = span === 0 ? null : spanIdOf(0);
        return storedSpan({
          traceId: traceIdOf(trace),
          id: spanIdOf(span),
          parentId,
          start: span,
          name,
        });
      });
      await store.append({ project, receivedAt: 1, spans: rows });
      for (const { trace, span, name } of spans)
        names.set(`${traceIdOf(trace)} ${spanIdOf(span)}`, name);
      if (isIndexed) await store.searchCaughtUp();
    }
    for (const name of NAMES) {
      const request = { project, filter: { name }, limit: 1_000, after: null };
      const found = (await store.listSpans(request)).items.map((item) => JSON.parse(item));
      const ids = found.map(({ trace_id, id }) => `${trace_id} ${id}`);
      const wanted = [...names].flatMap(([key, own]) => (own === name ? [key] : []));
      expect(ids.toSorted(), `spans ${name}`).toEqual(wanted.toSorted());
      const traces = (await store.listTraces(request)).items.map((item) => JSON.parse(item));
      expect(new Set(traces.map((one) => one.name)), `traces ${name}`).toEqual(
        new Set(traces.length === 0 ? [] : [name]),
      );
      const everything = { ...request, filter: {} };
      const all = (await store.listTraces(everything)).items.map((item) => JSON.parse(item));
      expect(traces.length, `traces ${name}`).toBe(all.filter((one) => one.name === name).length);
    }
  });
  await fc.assert(property, { numRuns: 12, seed: 18 });
}, 60_000);

it("finds by name the same where as many rows have its words as are looked up, and one more", async () => {
  const project = "few";
  // Two spans in each trace: of 2,000 rows, one half of the traces is found by its spans.
  const append = async (from: number, to: number) => {
    const spans = Array.from({ length: to - from }, (_, n) => from + n).flatMap((n) => [
      storedSpan({ traceId: traceIdOf(n), id: spanIdOf(2 * n), start: n, name: "often" }),
      storedSpan({
        traceId: traceIdOf(n),
        id: spanIdOf(2 * n + 1),
        parentId: spanIdOf(2 * n),
        start: n,
        name: n % 500 === 0 ? "seldom" : "other",
        inputs: n % 500 === 1 ? "seldom often" : null,
      }),
    ]);
    await store.append({ project, receivedAt: 1, spans });
    await store.searchCaughtUp();
  };
  let stored = 0;
  for (const traces of [1_000, 1_001, 1_999, 2_000, 2_001]) {
    await append(stored, traces);
    stored = traces;
    const found = async (verb: "listSpans" | "listTraces", name: string) => {
      const request = { project, filter: { name }, limit: 5_000, after: null };
      return (await store[verb](request)).items.map((item): string => JSON.parse(item).trace_id);
    };
    const all = Array.from({ length: traces }, (_, n) => traceIdOf(n)).reverse();
    expect(await found("listTraces", "often")).toEqual(all);
    expect(await found("listSpans", "often")).toEqual(all);
    const seldom = all.filter((_, n) => (traces - 1 - n) % 500 === 0);
    expect(await found("listSpans", "seldom")).toEqual(seldom);
    expect(await found("listTraces", "seldom")).toEqual([]);
  }
}, 60_000);
